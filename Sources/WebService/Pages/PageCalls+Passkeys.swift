import Contracts
import Messages
import RPC
import ServiceRuntime

/// The calls of `/security` about passkeys (F-01).
extension PageCalls {
    // MARK: Prompts

    /// The prompt of a sign-in, which offers passkeys in the list of suggestions too.
    /// - Throws: the gateway's `ServiceError`; `MappingError`.
    func beginPasskeySignIn(_ context: CallContext) async throws -> PasskeyPrompt {
        let begun = try await passkeys.beginPasskeySignIn(.init(), context)
        var prompt = try self.prompt(begun.options, until: begun.expiresAtMs)
        prompt.isSuggested = true
        return prompt
    }

    /// The prompt of a proof: for a challenge of a sign-in, or for a session's owner.
    /// - Parameters:
    ///   - challenge: Its token; empty for a session.
    ///   - device: The one of the sign-in.
    /// - Throws: the gateway's `ServiceError`; `MappingError`.
    func beginPasskeyProof(
        _ challenge: String, on device: GatewayV1.Device, _ context: CallContext
    ) async throws -> PasskeyPrompt {
        let begun = try await passkeys.beginPasskeyProof(
            GatewayV1.BeginPasskeyProofRequest(challenge: challenge, device: device), context)
        return try prompt(begun.options, until: begun.expiresAtMs)
    }

    private func prompt(
        _ options: GatewayV1.PasskeyRequestOptions?, until expiresAtMs: Int64
    ) throws -> PasskeyPrompt {
        PasskeyPrompt(
            .get, options: try PasskeyJSON.text(of: options ?? .init()),
            until: Timestamp(milliseconds: expiresAtMs), at: time.now())
    }

    /// The prompt that makes a passkey, which changes nothing.
    /// - Throws: the gateway's `ServiceError`; `MappingError`.
    func beginPasskeyAdd(
        _ session: PageSession, _ client: Client, _ language: Language
    ) async throws -> PasskeyPrompt {
        let begun = try await passkeys.beginPasskeyAdd(
            .init(), context(of: client, in: language).bearing(session.accessToken))
        return PasskeyPrompt(
            .create, options: try PasskeyJSON.text(of: begun.options ?? .init()),
            until: Timestamp(milliseconds: begun.expiresAtMs), at: time.now())
    }

    // MARK: A sign-in

    /// Signs in with a passkey.
    /// - Parameter submission: With what the browser has signed: the same form with another
    ///   signature is another sign-in.
    /// - Throws: the gateway's `ServiceError`.
    func signIn(
        _ submission: Submission, by credential: GatewayV1.PasskeyAssertion
    ) async throws -> (session: PageSession, email: String) {
        let signedIn = try await passkeys.signInWithPasskey(
            GatewayV1.SignInWithPasskeyRequest(credential: credential, device: submission.device),
            context(submission, "passkey"))
        return (PageSession(signedIn.session), signedIn.account?.email ?? "")
    }

    // MARK: The account's passkeys

    /// The account's passkeys, and what the browser learns of them.
    /// - Throws: the gateway's `ServiceError`.
    func listPasskeys(
        _ session: PageSession, _ client: Client, _ language: Language
    ) async throws -> (passkeys: [SecurityPage.Passkey], signal: PasskeySignal?) {
        let listed = try await passkeys.listPasskeys(
            .init(), context(of: client, in: language).bearing(session.accessToken))
        let usable = listed.passkeys.filter { !$0.isUnusable }.map(\.credentialId)
        return (
            listed.passkeys.map { SecurityPage.Passkey($0) },
            listed.rpId.isEmpty
                ? nil : .accepted(usable, userHandle: listed.userHandle, of: listed.rpId)
        )
    }

    /// Adds what the browser has made.
    /// - Returns: the recovery codes, with the first factor where the operator requires one.
    /// - Throws: the gateway's `ServiceError`.
    func add(
        _ credential: GatewayV1.PasskeyRegistration, name: String, _ session: PageSession,
        _ submission: Submission
    ) async throws -> [String] {
        try await passkeys.addPasskey(
            GatewayV1.AddPasskeyRequest(
                credential: credential, name: name, device: submission.device),
            context(submission, "passkey-add").bearing(session.accessToken)
        ).recoveryCodes
    }

    /// Gives a passkey another name.
    /// - Throws: the gateway's `ServiceError`.
    func rename(
        _ passkeyID: String, name: String, _ session: PageSession, _ submission: Submission
    ) async throws {
        _ = try await passkeys.renamePasskey(
            GatewayV1.RenamePasskeyRequest(passkeyId: passkeyID, name: name),
            context(submission, "passkey-rename").bearing(session.accessToken))
    }

    /// Removes a passkey.
    /// - Throws: the gateway's `ServiceError`.
    func removePasskey(
        _ passkeyID: String, _ session: PageSession, _ submission: Submission
    ) async throws {
        _ = try await passkeys.removePasskey(
            GatewayV1.RemovePasskeyRequest(passkeyId: passkeyID, device: submission.device),
            context(submission, "passkey-remove").bearing(session.accessToken))
    }
}

extension SecurityPage.Passkey {
    /// A passkey of a response.
    init(_ passkey: GatewayV1.Passkey) {
        self.init(
            id: passkey.passkeyId, name: passkey.name,
            addedAt: Timestamp(milliseconds: passkey.addedAtMs),
            usedAt: passkey.lastUsedAtMs > passkey.addedAtMs
                ? Timestamp(milliseconds: passkey.lastUsedAtMs) : nil,
            isUnusable: passkey.isUnusable)
    }
}
