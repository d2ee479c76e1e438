import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// The calls by which a page signs in, and those of its brief session.
extension PageCalls {
    /// Signs in by address and password.
    /// - Parameter isRepeatable: Whether a form that is sent twice is one sign-in. It is not where the
    ///   session of the first one has ended when the second is sent. Another password in the same
    ///   form is another sign-in.
    /// - Throws: the gateway's `ServiceError`: `auth/second-proof-required` asks for more.
    func signIn(
        _ submission: Submission, _ password: String, isRepeatable: Bool
    ) async throws -> (session: PageSession, email: String) {
        let request = GatewayV1.SignInWithPasswordRequest(
            email: submission.input, password: SecretBytes(password), device: submission.device)
        let context =
            isRepeatable
            ? self.context(submission, "sign-in \(password)")
            : self.context(of: submission.client, in: submission.language)
        let signedIn = try await auth.signInWithPassword(request, context)
        return (PageSession(signedIn.session), signedIn.account?.email ?? submission.input)
    }

    /// Has a code sent to the number that was typed.
    /// - Returns: the request.
    /// - Throws: the gateway's `ServiceError`.
    func requestCode(_ submission: Submission) async throws -> String {
        try await phones.requestSignInCode(
            GatewayV1.RequestSignInCodeRequest(
                phoneNumber: submission.input, device: submission.device),
            context(submission, "sign-in code")
        ).requestId
    }

    /// Signs in by the code that was typed, to an account that exists: a page makes none.
    /// - Throws: the gateway's `ServiceError`: `auth/second-proof-required` asks for more.
    func signIn(
        _ submission: Submission, by phone: PagePhone
    ) async throws -> (session: PageSession, email: String) {
        let signedIn = try await phones.signInWithPhoneCode(
            GatewayV1.SignInWithPhoneCodeRequest(
                requestId: phone.request, phoneNumber: phone.number, code: submission.input,
                device: submission.device, existingOnly: true),
            context(submission, "code of \(phone.request)"))
        return (PageSession(signedIn.session), signedIn.account?.email ?? "")
    }

    /// Completes a sign-in by its second proof.
    /// - Throws: the gateway's `ServiceError`: `auth/invalid-challenge` begins again.
    func complete(
        _ challenge: PageChallenge, _ submission: Submission, _ proof: SecretBytes
    ) async throws -> (session: PageSession, email: String) {
        let completed = try await challenges.completeSignIn(
            GatewayV1.CompleteSignInRequest(
                challenge: challenge.token, device: submission.device,
                proof: try challenge.chosen.second(proof)),
            context(submission, "second proof \(challenge.chosen.rawValue)"))
        return (PageSession(completed.session), completed.account?.email ?? "")
    }

    /// Sends the code of a challenge's chosen kind.
    /// - Throws: the gateway's `ServiceError`.
    func sendCode(of challenge: PageChallenge, _ submission: Submission) async throws {
        guard let kind = challenge.chosen.codeKind else {
            throw ServiceError(.invalidArgument, fields: [PageProofForm.sendField])
        }
        _ = try await challenges.sendChallengeCode(
            GatewayV1.SendChallengeCodeRequest(
                challenge: challenge.token, kind: kind, device: submission.device),
            context(submission, "code \(kind)"))
    }

    /// Ends a session that a page has opened: there is no app to give it to, and it would stay in
    /// the person's list of devices. It ends also when the browser is gone, which has cancelled the
    /// caller's task.
    func signOut(_ session: PageSession, _ submission: Submission) async {
        let context = context(submission, "sign-out").bearing(session.accessToken)
        let auth = auth
        await Task {
            // The page has done its work. Its token is lost with this response, and the session ends
            // by itself after 15 minutes.
            _ = try? await auth.signOut(GatewayV1.SignOutRequest(), context)
        }.value
    }

    // MARK: Second factors

    /// The account's factors, and how many recovery codes it has left.
    /// - Throws: the gateway's `ServiceError`.
    func listFactors(
        _ session: PageSession, _ client: Client, _ language: Language
    ) async throws -> (factors: [SecurityPage.Factor], codesLeft: Int) {
        let listed = try await factors.listSecondFactors(
            GatewayV1.ListSecondFactorsRequest(),
            context(of: client, in: language).bearing(session.accessToken))
        return (
            listed.factors.map { SecurityPage.Factor($0) }, Int(clamping: listed.recoveryCodesLeft)
        )
    }

    /// Makes the secret of an authenticator app, which changes nothing.
    /// - Throws: the gateway's `ServiceError`.
    func beginSetUp(
        _ session: PageSession, _ client: Client, _ language: Language
    ) async throws -> PageSetUp {
        PageSetUp(
            try await factors.beginTOTP(
                GatewayV1.BeginTOTPRequest(),
                context(of: client, in: language).bearing(session.accessToken)))
    }

    /// Adds the app by a code that it shows.
    /// - Returns: the session with its new token, and the recovery codes with the first factor.
    /// - Throws: the gateway's `ServiceError`.
    func confirm(
        _ setUp: PageSetUp, code: String, name: String, _ session: PageSession,
        _ submission: Submission
    ) async throws -> (session: PageSession, codes: [String]) {
        let confirmed = try await factors.confirmTOTP(
            GatewayV1.ConfirmTOTPRequest(
                enrollmentToken: setUp.enrollmentToken, code: SecretBytes(code), name: name,
                device: submission.device),
            context(submission, "confirm").bearing(session.accessToken))
        var session = session
        session.accessToken = confirmed.accessToken
        return (session, confirmed.recoveryCodes)
    }

    /// Removes a factor.
    /// - Throws: the gateway's `ServiceError`.
    func remove(
        _ factorID: String, _ session: PageSession, _ submission: Submission
    ) async throws {
        _ = try await factors.removeSecondFactor(
            GatewayV1.RemoveSecondFactorRequest(factorId: factorID, device: submission.device),
            context(submission, "remove").bearing(session.accessToken))
    }

    /// Makes other recovery codes; none for a repeat.
    /// - Throws: the gateway's `ServiceError`.
    func makeCodes(
        _ session: PageSession, _ submission: Submission
    ) async throws -> [String] {
        try await factors.regenerateRecoveryCodes(
            GatewayV1.RegenerateRecoveryCodesRequest(device: submission.device),
            context(submission, "codes").bearing(session.accessToken)
        ).recoveryCodes
    }

    /// Proves in a session that it is its owner.
    /// - Returns: the session with its new token.
    /// - Throws: the gateway's `ServiceError`.
    func reauthenticate(
        by proof: GatewayV1.ReauthenticateRequest.Proof?, _ session: PageSession,
        _ submission: Submission
    ) async throws -> PageSession {
        let proved = try await sessions.reauthenticate(
            GatewayV1.ReauthenticateRequest(device: submission.device, proof: proof),
            context(submission, "reauthenticate").bearing(session.accessToken))
        var session = session
        session.accessToken = proved.accessToken
        return session
    }
}

extension SecurityPage.Factor {
    /// A factor of a response.
    init(_ factor: GatewayV1.SecondFactor) {
        self.init(
            id: factor.factorId, name: factor.name,
            addedAt: Timestamp(milliseconds: factor.addedAtMs),
            usedAt: factor.lastUsedAtMs > 0
                ? Timestamp(milliseconds: factor.lastUsedAtMs) : nil)
    }
}
