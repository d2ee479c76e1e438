import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import SessionService
import TestSupport
import Testing

@testable import GatewayService

/// A public method, and a call of it in each `CallerState`.
struct SessionRow: Sendable, CustomTestStringConvertible {
    /// Makes the call; a repeat makes the same one.
    typealias Call = @Sendable (CallContext) async throws -> Void

    /// `Service/Method`.
    let method: String
    /// The errors of this method where its rule leaves them open.
    var refusals: [CallerState: String] = [:]
    /// Creates what a state's call needs.
    let prepare: @Sendable (ProviderFixture, CallerState) async throws -> Call

    var testDescription: String { method }

    /// A row whose request needs no preparation.
    init(
        _ method: String, refusals: [CallerState: String] = [:],
        _ call: @escaping @Sendable (GatewayFixture, CallerState, CallContext) async throws -> Any
    ) {
        self.init(method, refusals: refusals) { fixture, state in
            { context in _ = try await call(fixture.gateway, state, context) }
        }
    }

    init(
        _ method: String, refusals: [CallerState: String] = [:],
        prepare: @escaping @Sendable (ProviderFixture, CallerState) async throws -> Call
    ) {
        self.method = method
        self.refusals = refusals
        self.prepare = prepare
    }

    private static let signedIn = "auth/already-signed-in"
    private static let password = "Correct7Horse"
    private static let ada = "ada@example.org"

    private static func number(_ state: CallerState) -> String {
        "+4915112345\(600 + (CallerState.allCases.firstIndex(of: state) ?? 0))"
    }

    static let all: [SessionRow] =
        signUpsAndSignIns + guestData + inSessions + documents + backendDocuments + profile
        + onboarding + consents + deletion + exports + outside + verification + admin

    private static let signUpsAndSignIns: [SessionRow] = [
        .init(
            "Auth/SignUpWithPassword", refusals: [.account: signedIn, .anothers: signedIn]
        ) {
            try await $0.auth.signUpWithPassword(
                .init(email: "\($1)@new.example.org", password: .init(text: password)), $2)
        },
        .init("Auth/SignInWithPassword") {
            try await $0.auth.signInWithPassword(
                .init(email: ada, password: .init(text: password)), $2)
        },
        .init("Providers/SignInWithProvider") { fixture, state in
            let token = try await fixture.googleToken(of: state.rawValue)
            return { context in
                _ = try await fixture.gateway.providers.signInWithProvider(
                    .init(token: token), context)
            }
        },
        .init("PhoneSignIn/SignInWithPhoneCode") { fixture, state in
            let (request, code) = try await fixture.gateway.sentCode(number(state))
            return { context in
                _ = try await fixture.gateway.phone.signInWithPhoneCode(
                    .init(requestId: request, phoneNumber: number(state), code: code), context)
            }
        },
        .init(
            "Guests/SignInAsGuest",
            refusals: [.guest: signedIn, .account: signedIn, .anothers: signedIn]
        ) { try await $0.guests.signInAsGuest(.init(), $2) },
        .init("Auth/VerifyEmail") { try await $0.auth.verifyEmail(.init(token: "x"), $2) },
        .init("Emails/ConfirmEmailChange") {
            try await $0.emails.confirmEmailChange(.init(token: "x"), $2)
        },
        .init("Passwords/ResetPassword") { fixture, state in
            let gateway = fixture.gateway
            // A reset ends the sessions of its account, so each state has one.
            let email = "\(state)@reset.example.org"
            let own = gateway.context(address: "203.0.113.\(number(state).suffix(1))")
            _ = try await gateway.signUp(email, in: own)
            _ = try await gateway.passwords.requestPasswordReset(.init(email: email), own)
            let token = try await gateway.inner.linkToken(to: email, page: "reset-password")
            return { context in
                _ = try await gateway.passwords.resetPassword(
                    .init(token: token, password: .init(text: "Another7Horse")), context)
            }
        },
    ]

    private static let inSessions: [SessionRow] = [
        .init("Passwords/ChangePassword") {
            try await $0.passwords.changePassword(
                .init(currentPassword: "Wrong7Horse", newPassword: "Another7Horse"), $2)
        },
        .init("Emails/ResendVerificationEmail") {
            try await $0.emails.resendVerificationEmail(.init(), $2)
        },
        .init("Emails/RequestEmailChange") {
            try await $0.emails.requestEmailChange(.init(newEmail: "\($1)@new.example.org"), $2)
        },
        .init("Emails/CancelEmailChange") { try await $0.emails.cancelEmailChange(.init(), $2) },
        .init("PhoneSignIn/RequestPhoneCode") {
            try await $0.phone.requestPhoneCode(.init(phoneNumber: number($1), purpose: .link), $2)
        },
        .init("PhoneSignIn/LinkPhone") {
            try await $0.phone.linkPhone(
                .init(requestId: "x", phoneNumber: number($1), code: "000000"), $2)
        },
        .init("SignInMethods/ListSignInMethods") {
            try await $0.methods.listSignInMethods(.init(), $2)
        },
        .init("SignInMethods/LinkProvider") { try await $0.methods.linkProvider(.init(), $2) },
        .init("SignInMethods/UnlinkMethod") {
            try await $0.methods.unlinkMethod(.init(method: "google"), $2)
        },
        .init("AccountSessions/ListSessions") {
            try await $0.accountSessions.listSessions(.init(), $2)
        },
        .init("AccountSessions/EndSession") {
            try await $0.accountSessions.endSession(.init(sessionId: "x"), $2)
        },
        .init("AccountSessions/EndOtherSessions") {
            try await $0.accountSessions.endOtherSessions(.init(), $2)
        },
        .init("AccountSessions/NoteActivity") {
            try await $0.accountSessions.noteActivity(.init(kind: "screen-opened"), $2)
        },
        .init("AccountSessions/Reauthenticate") {
            try await $0.accountSessions.reauthenticate(
                .init(proof: .password("Wrong7Horse")), $2)
        },
        .init("AccountSessions/CheckRecentProof") {
            try await $0.accountSessions.checkRecentProof(.init(), $2)
        },
        .init("Auth/CheckAuthState") { try await $0.auth.checkAuthState(.init(), $2) },
        .init(
            "Auth/SignOut",
            refusals: [.none: SessionRule.malformed, .garbled: "auth/invalid-access-token"]
        ) { try await $0.auth.signOut(.init(), $2) },
    ]

    private static let outside: [SessionRow] = [
        .init("Auth/RefreshSession") {
            try await $0.auth.refreshSession(.init(refreshToken: "x"), $2)
        },
        .init("Passwords/RequestPasswordReset") {
            try await $0.passwords.requestPasswordReset(.init(email: "\($1)@new.example.org"), $2)
        },
        .init("Emails/ResendVerificationByPassword") {
            try await $0.emails.resendVerificationByPassword(
                .init(email: ada, password: .init(text: password)), $2)
        },
        .init("SignInOptions/GetSignInOptions") {
            try await $0.options.getSignInOptions(.init(), $2)
        },
        .init("SignInOptions/CheckPassword") {
            try await $0.options.checkPassword(.init(password: .init(text: password)), $2)
        },
        .init("PhoneSignIn/RequestSignInCode") {
            try await $0.phone.requestSignInCode(.init(phoneNumber: number($1)), $2)
        },
        .init("Providers/IssueNonce") {
            try await $0.providers.issueNonce(.init(provider: "google"), $2)
        },
        .init("ProviderNotices/ReceiveProviderNotice") {
            try await $0.providerNotices.receiveProviderNotice(
                .init(provider: "apple", payload: "x"), $2)
        },
        .init("ProviderNotices/DescribeProviderOutcome") {
            try await $0.providerNotices.describeProviderOutcome(
                .init(provider: "google", outcome: .cancelled), $2)
        },
    ]

    private static let verification: [SessionRow] = [
        .init("Verification/GetKeySet") { try await $0.verification.getKeySet(.init(), $2) },
        .init("Verification/IntrospectToken") {
            try await $0.verification.introspectToken(.init(), $2)
        },
        .init("Verification/WatchRevocations") { gateway, _, context in
            try await gateway.firstRevocations(context)
        },
    ]

    private static let admin: [SessionRow] = [
        .init("Admin/LookUpAccount") {
            try await $0.admin.lookUpAccount(.init(by: .email(ada)), $2)
        },
        .init("Admin/ListAccounts") { try await $0.admin.listAccounts(.init(), $2) },
        .init("Admin/SuspendAccount") {
            try await $0.admin.suspendAccount(.init(accountId: "x", reason: "spam"), $2)
        },
        .init("Admin/RestoreAccount") {
            try await $0.admin.restoreAccount(.init(accountId: "x"), $2)
        },
        .init("Admin/SignOutAccount") {
            try await $0.admin.signOutAccount(.init(accountId: "x"), $2)
        },
        .init("Admin/DeleteAccount") {
            try await $0.admin.deleteAccount(.init(accountId: "x"), $2)
        },
        .init("Admin/ListDeletions") { try await $0.admin.listDeletions(.init(), $2) },
        .init("Admin/ListUnusedGuests") { try await $0.admin.listUnusedGuests(.init(), $2) },
        .init("Admin/ListOrphans") { try await $0.admin.listOrphans(.init(), $2) },
        .init("Admin/RepairOrphan") { try await $0.admin.repairOrphan(.init(), $2) },
    ]
}

extension GatewayFixture {
    /// The first item of the revocation feed, which the gateway follows meanwhile.
    fileprivate func firstRevocations(
        _ context: CallContext
    ) async throws -> GatewayV1.WatchRevocationsItem {
        let relay = Task { [revocations] in await revocations.run() }
        defer { relay.cancel() }
        return try await withThrowingTaskGroup { group in
            group.addTask { try await self.inner.sessionService.background.run() }
            // A follower that comes before the feed is ready tries again after a pause.
            group.addTask {
                while true {
                    try await Task.sleep(for: .milliseconds(500))
                    self.time.advance(by: .seconds(1))
                }
            }
            defer { group.cancelAll() }
            let items = verification.watchRevocations(.init(), context).makeAsyncIterator()
            return try #require(try await items.next())
        }
    }
}
