import Contracts
import Messages
import RPC

/// Every method of the gateway with its fields at their bounds: one line for each, and one for each
/// of the bounds that exclude each other. A new method gets its line here; until then a test fails.
package enum PublicCalls {
    /// All of them.
    package static let all =
        auth + passwords + emails + sessions + methods + phone + providers + challenges + passkeys
        + factors + guests + documents + onboarding + profile + consents + exports + deletion + push
        + options + writers + pushes + accounts + admin

    // MARK: Accounts

    private static let auth: [PublicCall] = [
        .init(AuthDescription.signUpWithPassword, .stranger, once: true) {
            GatewayV1.SignUpWithPasswordRequest(
                email: Bound.email("up-\($1)-\($0.name)"), password: Bound.secret(Bound.password),
                device: $0.own, displayName: Bound.displayName, mailLanguage: Bound.language,
                acceptance: Bound.acceptance())
        },
        .init(AuthDescription.signInWithPassword, .stranger) { caller, _ in
            _ = try await caller.account(.owner)
            return GatewayV1.SignInWithPasswordRequest(
                email: caller.email, password: Bound.secret(Bound.password), device: caller.own)
        },
        .init(AuthDescription.verifyEmail, .stranger, once: true) { caller, _ in
            GatewayV1.VerifyEmailRequest(
                token: try await caller.link(.verifyEmail), password: Bound.secret(Bound.password),
                device: caller.own)
        },
        .init(AuthDescription.describeLink, .stranger) { caller, _ in
            GatewayV1.DescribeLinkRequest(
                purpose: .resetPassword,
                token: Bound.secret(try await caller.link(.resetPassword)))
        },
        .init(AuthDescription.disownSignIn, .stranger, once: true) { caller, _ in
            GatewayV1.DisownSignInRequest(token: Bound.secret(try await caller.link(.notMe)))
        },
        .init(AuthDescription.refreshSession, .stranger, once: true) { caller, _ in
            let token = try await caller.account(.owner).refreshToken
            return GatewayV1.RefreshSessionRequest(
                refreshToken: token, device: caller.own,
                deviceProof: try caller.device.proof(token))
        },
        .init(AuthDescription.signOut, .owner, "by refresh token", once: true) { caller, _ in
            let token = try await caller.account(.owner).refreshToken
            return GatewayV1.SignOutRequest(
                refreshToken: token, deviceProof: try caller.device.proof(token))
        },
        .init(AuthDescription.signOut, .owner, "all sessions", once: true) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.SignOutRequest(all: true)
        },
        .init(AuthDescription.checkAuthState, .owner, GatewayV1.CheckAuthStateRequest()),
    ]

    private static let passwords: [PublicCall] = [
        .init(PasswordsDescription.requestPasswordReset, .stranger) { caller, _ in
            _ = try await caller.account(.owner)
            return GatewayV1.RequestPasswordResetRequest(email: caller.email, device: caller.own)
        },
        .init(PasswordsDescription.resetPassword, .stranger, once: true) { caller, _ in
            GatewayV1.ResetPasswordRequest(
                token: try await caller.link(.resetPassword),
                password: Bound.secret(Bound.newPassword), device: caller.own)
        },
        .init(PasswordsDescription.changePassword, .owner, once: true) { caller, _ in
            GatewayV1.ChangePasswordRequest(
                currentPassword: Bound.secret(Bound.password),
                newPassword: Bound.secret(Bound.newPassword), device: caller.own)
        },
    ]

    private static let emails: [PublicCall] = [
        .init(EmailsDescription.requestEmailChange, .owner) {
            GatewayV1.RequestEmailChangeRequest(
                newEmail: Bound.email("new-\($1)-\($0.name)"), device: $0.own)
        },
        .init(EmailsDescription.confirmEmailChange, .stranger, once: true) { caller, _ in
            GatewayV1.ConfirmEmailChangeRequest(
                token: try await caller.link(.changeEmail),
                password: Bound.secret(Bound.password), device: caller.own)
        },
        .init(EmailsDescription.cancelEmailChange, .owner, once: true) { caller, _ in
            try await caller.changesEmail()
            return GatewayV1.CancelEmailChangeRequest(device: caller.own)
        },
        .init(EmailsDescription.resendVerificationEmail, .newcomer) { caller, _ in
            GatewayV1.ResendVerificationEmailRequest(device: caller.own)
        },
        .init(EmailsDescription.resendVerificationByPassword, .stranger) { caller, _ in
            _ = try await caller.account(.newcomer)
            return GatewayV1.ResendVerificationByPasswordRequest(
                email: caller.email, password: Bound.secret(Bound.password), device: caller.own)
        },
        .init(EmailsDescription.correctEmail, .stranger, once: true) { caller, number in
            _ = try await caller.account(.newcomer)
            return GatewayV1.CorrectEmailRequest(
                email: caller.email, password: Bound.secret(Bound.password),
                newEmail: Bound.email("right-\(number)-\(caller.name)"), device: caller.own)
        },
    ]

    private static let sessions: [PublicCall] = [
        .init(AccountSessionsDescription.listSessions, .owner) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.ListSessionsRequest()
        },
        .init(AccountSessionsDescription.endSession, .owner, once: true) { caller, _ in
            GatewayV1.EndSessionRequest(sessionId: try await caller.otherSessions(1)[0])
        },
        .init(AccountSessionsDescription.endOtherSessions, .owner, once: true) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.EndOtherSessionsRequest()
        },
        .init(AccountSessionsDescription.listActivity, .owner) { caller, _ in
            _ = try await caller.otherSessions(4)
            return GatewayV1.ListActivityRequest(pageSize: 100)
        },
        .init(AccountSessionsDescription.reauthenticate, .owner, "password") { caller, _ in
            GatewayV1.ReauthenticateRequest(
                device: caller.own, proof: .password(Bound.secret(Bound.password)))
        },
        .init(AccountSessionsDescription.reauthenticate, .owner, "device key") { caller, _ in
            let token = try await caller.account(.owner).accessToken
            return GatewayV1.ReauthenticateRequest(
                device: caller.own, proof: .deviceKey(try caller.device.presence(token)))
        },
        .init(AccountSessionsDescription.reauthenticate, .owner, "provider", once: true) {
            caller, _ in
            try await caller.links("apple")
            return GatewayV1.ReauthenticateRequest(
                device: caller.own, proof: .providerToken(try await caller.token(of: "apple", 0)))
        },
        .init(AccountSessionsDescription.reauthenticate, .owner, "phone code", once: true) {
            caller, _ in
            try await caller.links("phone")
            return GatewayV1.ReauthenticateRequest(
                device: caller.own,
                proof: .phoneCode(try await caller.code(for: .reauthenticate, 0)))
        },
        .init(
            AccountSessionsDescription.reauthenticate, .owner, "authenticator app", once: true
        ) { caller, _ in
            _ = try await caller.factor()
            let code = Bound.secret(Bound.code(try await caller.appCode()))
            return GatewayV1.ReauthenticateRequest(device: caller.own, proof: .totpCode(code))
        },
        .init(AccountSessionsDescription.reauthenticate, .owner, "recovery code", once: true) {
            caller, _ in
            let code = Bound.secret(Bound.recoveryCode(try await caller.factor().recoveryCodes[0]))
            return GatewayV1.ReauthenticateRequest(device: caller.own, proof: .recoveryCode(code))
        },
        .init(
            AccountSessionsDescription.noteActivity, .owner,
            GatewayV1.NoteActivityRequest(kind: Bound.text(32))),
        .init(
            AccountSessionsDescription.checkRecentProof, .backend,
            GatewayV1.CheckRecentProofRequest(
                kinds: [
                    .password, .deviceKey, .providerToken, .phoneCode, .totpCode, .recoveryCode,
                    .passkey,
                ], minAcr: "aal1", maxAge: .maxAgeMs(86_400_000))),
    ]

    private static let methods: [PublicCall] = [
        .init(SignInMethodsDescription.listSignInMethods, .owner) { caller, _ in
            for method in ["google", "apple", "phone"] { try await caller.links(method) }
            return GatewayV1.ListSignInMethodsRequest()
        },
        .init(SignInMethodsDescription.linkProvider, .owner, once: true) { caller, _ in
            GatewayV1.LinkProviderRequest(
                token: try await caller.token(of: "apple", 0), device: caller.own)
        },
        .init(SignInMethodsDescription.linkPassword, .owner, once: true) { caller, _ in
            try await caller.removesPassword()
            return GatewayV1.LinkPasswordRequest(
                password: Bound.secret(Bound.password), device: caller.own)
        },
        .init(SignInMethodsDescription.unlinkMethod, .owner, once: true) { caller, _ in
            try await caller.links("google")
            return GatewayV1.UnlinkMethodRequest(method: "google", device: caller.own)
        },
    ]

    private static let phone: [PublicCall] = [
        .init(PhoneSignInDescription.requestSignInCode, .stranger) {
            GatewayV1.RequestSignInCodeRequest(phoneNumber: $0.phone($1 + 1), device: $0.own)
        },
        .init(PhoneSignInDescription.requestPhoneCode, .owner) {
            GatewayV1.RequestPhoneCodeRequest(
                phoneNumber: $0.phone($1 + 1), purpose: .link, device: $0.own)
        },
        .init(PhoneSignInDescription.signInWithPhoneCode, .stranger, once: true) { caller, _ in
            let code = try await caller.code(for: nil, 0)
            return GatewayV1.SignInWithPhoneCodeRequest(
                requestId: code.requestId, phoneNumber: code.phoneNumber, code: code.code,
                device: caller.own, mailLanguage: Bound.language, acceptance: Bound.acceptance())
        },
        .init(PhoneSignInDescription.linkPhone, .owner, once: true) { caller, _ in
            let code = try await caller.code(for: .link, 0)
            return GatewayV1.LinkPhoneRequest(
                requestId: code.requestId, phoneNumber: code.phoneNumber, code: code.code,
                device: caller.own)
        },
    ]

    private static let providers: [PublicCall] = [
        .init(
            ProvidersDescription.issueNonce, .stranger,
            GatewayV1.IssueNonceRequest(provider: "google")),
        .init(ProvidersDescription.signInWithProvider, .stranger, once: true) {
            GatewayV1.SignInWithProviderRequest(
                token: try await $0.token(of: "apple", $1), device: $0.own,
                mailLanguage: Bound.language, acceptance: Bound.acceptance())
        },
        .init(ProviderNoticesDescription.receiveProviderNotice, .stranger, once: true) {
            caller, _ in
            GatewayV1.ReceiveProviderNoticeRequest(
                provider: "apple", payload: try await caller.appleNotice())
        },
        .init(
            ProviderNoticesDescription.describeProviderOutcome, .stranger,
            GatewayV1.DescribeProviderOutcomeRequest(provider: Bound.text(64), outcome: .failed)),
    ]
}

extension PublicCalls {
    /// A look-up of an account by `key`.
    static func lookUp(
        _ variant: String,
        _ key:
            @escaping @Sendable (any PreparedCaller) async throws
            -> GatewayV1.LookUpAccountRequest.By
    ) -> PublicCall {
        .init(AdminDescription.lookUpAccount, .support, variant) { caller, _ in
            GatewayV1.LookUpAccountRequest(
                showPersonalData: true, actor: Bound.actor, by: try await key(caller))
        }
    }
}
