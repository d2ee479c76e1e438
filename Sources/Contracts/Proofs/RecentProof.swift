package import Messages
package import ServiceRuntime

/// What a sensitive call demands: that its owner has proved to be it lately, in a way that will do
/// (G-13). Pure:
///
///     the session's proofs, of a kind that will do    the call
///     one is younger than the limit                   goes on
///     each is as old as the limit, or older           auth/requires-recent-login
///     none                                            auth/requires-recent-login
///     a guest's only ("anon")                         auth/requires-recent-login
///
/// That somebody opened a guest proves nothing of who he is, and stays in the session if the guest is
/// upgraded within the limit.
///
/// Every way of proving is remembered by itself: a fresh device proof does not stand in for the
/// password where that is demanded, and does not hide that it was typed a minute ago. Ages are by
/// the session service's clock alone, so ours does not matter.
///
/// The gateway asks by it for applications, identity for what changes who may sign in; each says it
/// in one line, and goes on with whose session it is:
///
///     let owner = try await proofs.require(.standard, of: request.accessToken, context)
///
/// Attack: somebody finds a phone unlocked, or steals an access token, and changes the email.
package struct RecentProof: Hashable, Sendable {
    /// For calls that name no limit of their own.
    package static let standard = RecentProof(within: .seconds(300))

    /// The method of a guest's session.
    private static let nothingProved = "anon"

    /// How long ago the proof may be.
    package let within: Duration
    /// Any of these will do; where there is none, any proof.
    package let kinds: Set<ProofKind>

    /// A demand; no `kinds` for any proof.
    package init(within: Duration, kinds: Set<ProofKind> = []) {
        self.within = within
        self.kinds = kinds
    }

    /// The latest of a session's proofs that will do; nil where none does.
    package func found(
        in proofs: [SessionV1.SessionProof], at now: Timestamp
    ) -> SessionV1.SessionProof? {
        proofs.filter { proof in
            let provedAt = Timestamp(milliseconds: proof.provedAtMs)
            return now - provedAt < within && !proof.amr.contains(Self.nothingProved)
                && (kinds.isEmpty || kinds.contains(any: proof))
        }.max { $0.provedAtMs < $1.provedAtMs }
    }

    /// The refusal, which says what would do.
    /// - Parameter having: how this account and session could prove their owner.
    package func refusal(having: Set<ProofKind>) -> ServiceError {
        let would = kinds.isEmpty ? having : having.intersection(kinds)
        return ServiceError(.requiresRecentLogin, fields: would.map(\.rawValue).sorted())
    }
}

/// A way of proving to be an account's owner. Raw values are the fields of `ReauthenticateRequest`
/// that take such a proof, and are told to callers.
package enum ProofKind: String, CaseIterable, Sendable {
    /// The account's password.
    case password
    /// The device's key, behind a prompt that its owner passed.
    case deviceKey = "device_key"
    /// A fresh token of a provider that the account can be signed in to by.
    case provider = "provider_token"
    /// A code that was sent to the account's phone.
    case phoneCode = "phone_code"

    /// The kind of a way of signing in, as accounts name them: "password", "phone", or a provider's
    /// name.
    package init(method: String) {
        self =
            switch method {
            case "password": .password
            case "phone": .phoneCode
            default: .provider
            }
    }

    /// The kind that a caller names; nil for one that we do not know, which must not pass for "any".
    package init?(_ message: GatewayV1.ProofKind) {
        switch message {
        case .password: self = .password
        case .deviceKey: self = .deviceKey
        case .provider: self = .provider
        case .phoneCode: self = .phoneCode
        case .unspecified, .unrecognized: return nil
        }
    }

    /// Whether a proof of these methods (RFC 8176) is one of this kind.
    package func includes(_ methods: [String]) -> Bool {
        switch self {
        case .password: methods.contains("pwd")
        case .deviceKey:
            methods.contains("user") && (methods.contains("hwk") || methods.contains("swk"))
        case .provider: methods.contains("fed")
        case .phoneCode: methods.contains("sms")
        }
    }
}

extension Set<ProofKind> {
    /// By what an account with these ways of signing in could prove its owner, in a session that is
    /// bound to a device's key or not.
    package init(methods: [String], hasDeviceKey: Bool) {
        self = Set(methods.map(ProofKind.init(method:)))
        if hasDeviceKey { insert(.deviceKey) }
    }

    fileprivate func contains(any proof: SessionV1.SessionProof) -> Bool {
        contains { $0.includes(proof.amr) }
    }
}
