import Contracts
import Messages
import ProviderIssuer
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// Every method of the gateway that is not idempotent (G-25). A new one gets its row here; if its
/// service is new, that gets its line in `RepeatFixture`. Until then a test fails.
///
/// The requests are not those of `PublicCalls`: a row needs two people whose calls both succeed in
/// process, their renewed tokens after a day, and what a call does whose key is forgotten.
enum RepeatedCalls {
    static let all = accounts + documents + guestData

    private static let accounts: [RepeatedCall] = [
        .init(
            "Auth/SignUpWithPassword", { try await $0.auth.signUpWithPassword($1, $2) },
            afterwards: .refused(.emailAlreadyInUse)
        ) { _ in
            both {
                .init(email: $0, password: .init(text: password), device: device, displayName: "A")
            }
        },
        .init(
            "Auth/SignInWithPassword", { try await $0.auth.signInWithPassword($1, $2) },
            afterwards: .acts
        ) {
            _ = try await $0.two()
            return both { .init(email: $0, password: .init(text: password), device: device) }
        },
        .init(
            "Auth/VerifyEmail", { try await $0.auth.verifyEmail($1, $2) },
            afterwards: .refused(.invalidLink)
        ) { fixture in
            _ = try await fixture.two()
            return try await both { email in
                .init(
                    token: try await fixture.gateway.inner.linkToken(to: email),
                    password: .init(text: other),
                    device: device)
            }
        },
        .init(
            "Auth/RefreshSession", { try await $0.auth.refreshSession($1, $2) },
            afterwards: .refused(.refreshTokenReplayed)
        ) {
            try await $0.two { .init(refreshToken: $0.refreshToken, device: device) }
        },
        .init(
            "Passwords/RequestPasswordReset",
            { try await $0.passwords.requestPasswordReset($1, $2) }, afterwards: .acts
        ) {
            _ = try await $0.two()
            return both { .init(email: $0, device: device) }
        },
        .init(
            "AccountDeletion/RequestDeletionLink",
            { try await $0.accountDeletion.requestDeletionLink($1, $2) }, afterwards: .acts
        ) {
            _ = try await $0.two()
            return both { .init(email: $0) }
        },
        .init(
            "Passwords/ResetPassword", { try await $0.passwords.resetPassword($1, $2) },
            afterwards: .refused(.invalidLink)
        ) { fixture in
            _ = try await fixture.two()
            return try await both { email in
                _ = try await fixture.gateway.passwords.requestPasswordReset(
                    .init(email: email, device: device), fixture.gateway.context())
                return .init(
                    token: try await fixture.gateway.inner.linkToken(
                        to: email, page: "reset-password"),
                    password: .init(text: other), device: device)
            }
        },
        .inSession(
            "Passwords/ChangePassword", { try await $0.passwords.changePassword($1, $2) },
            afterwards: .refused(.invalidCredential),
            renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two {
                .init(
                    $0.accessToken,
                    .init(
                        currentPassword: .init(text: password),
                        newPassword: .init(text: other),
                        device: device))
            }
        },
        .inSession(
            "Emails/ResendVerificationEmail",
            { try await $0.emails.resendVerificationEmail($1, $2) }, afterwards: .acts,
            renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two { .init($0.accessToken, .init(device: device)) }
        },
        .inSession(
            "AccountSessions/Reauthenticate",
            { try await $0.accountSessions.reauthenticate($1, $2) }, afterwards: .acts,
            renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            try await $0.two {
                .init(
                    $0.accessToken,
                    .init(
                        device: device,
                        proof: .password(.init(text: password))))
            }
        },
        .init(
            "Providers/SignInWithProvider", { try await $0.providers.signInWithProvider($1, $2) },
            afterwards: .acts, renew: { $1.token = try await $0.googleToken(of: ada, email: ada) }
        ) {
            fixture in
            try await both {
                .init(token: try await fixture.googleToken(of: $0, email: $0), device: device)
            }
        },
        .init(
            "Guests/SignInAsGuest", { try await $0.guests.signInAsGuest($1, $2) },
            afterwards: .acts
        ) { _ in
            // Guests differ only in their devices.
            (.init(device: device), .init(device: .init(deviceId: "d2", platform: "cli")))
        },
        .inSession(
            "SignInMethods/LinkProvider", { try await $0.methods.linkProvider($1, $2) },
            afterwards: .refused(.providerAlreadyLinked),
            renew: {
                try await $0.prove(&$1.accessToken)
                $1.request.token = try await $0.googleToken(of: "1")
            }
        ) { fixture in
            let (ada, eve) = try await fixture.two()
            func request(_ person: SignedIn, _ subject: String) async throws
                -> InSession<GatewayV1.LinkProviderRequest>
            {
                .init(
                    person.session.accessToken,
                    .init(token: try await fixture.googleToken(of: subject), device: device))
            }
            return (try await request(ada, "1"), try await request(eve, "2"))
        },
        .inSession(
            "SignInMethods/UnlinkMethod", { try await $0.methods.unlinkMethod($1, $2) },
            afterwards: .refused(.methodNotLinked), renew: { try await $0.prove(&$1.accessToken) }
        ) { fixture in
            let (ada, eve) = try await fixture.two()
            _ = try await fixture.link(try await fixture.googleToken(of: "1"), to: ada.session)
            _ = try await fixture.link(try await fixture.googleToken(of: "2"), to: eve.session)
            return both(ada.session, eve.session) {
                .init($0.accessToken, .init(method: "google", device: device))
            }
        },
        .init(
            "PhoneSignIn/RequestSignInCode", { try await $0.phone.requestSignInCode($1, $2) },
            afterwards: .acts
        ) {
            _ in
            (
                .init(phoneNumber: "+4915112345678", device: device),
                .init(phoneNumber: "+4915112345679", device: device)
            )
        },
        .inSession(
            "PhoneSignIn/RequestPhoneCode", { try await $0.phone.requestPhoneCode($1, $2) },
            afterwards: .acts, renew: { try await $0.prove(&$1.accessToken) }
        ) { fixture in
            let (ada, eve) = try await fixture.two()
            func request(_ person: SignedIn, _ number: String)
                -> InSession<GatewayV1.RequestPhoneCodeRequest>
            {
                .init(
                    person.session.accessToken,
                    .init(phoneNumber: number, purpose: .link, device: device))
            }
            return (request(ada, "+4915112345678"), request(eve, "+4915112345679"))
        },
        .init(
            "PhoneSignIn/SignInWithPhoneCode", { try await $0.phone.signInWithPhoneCode($1, $2) },
            afterwards: .refused(.codeExpired)
        ) {
            fixture in
            func request(_ number: String) async throws -> GatewayV1.SignInWithPhoneCodeRequest {
                let sent = try await fixture.gateway.sentCode(number)
                return .init(
                    requestId: sent.request, phoneNumber: number, code: sent.code, device: device)
            }
            return (try await request("+4915112345678"), try await request("+4915112345679"))
        },
        .inSession(
            "PhoneSignIn/LinkPhone", { try await $0.phone.linkPhone($1, $2) },
            afterwards: .refused(.codeExpired), renew: { try await $0.prove(&$1.accessToken) }
        ) { fixture in
            let (ada, eve) = try await fixture.two()
            func request(_ person: SignedIn, _ number: String) async throws
                -> InSession<GatewayV1.LinkPhoneRequest>
            {
                let token = person.session.accessToken
                let sent = try await fixture.gateway.sentCode(number, .link, accessToken: token)
                return .init(
                    token,
                    .init(
                        requestId: sent.request, phoneNumber: number,
                        code: sent.code, device: device))
            }
            return (
                try await request(ada, "+4915112345678"), try await request(eve, "+4915112345679")
            )
        },
        .inSession(
            "Emails/RequestEmailChange", { try await $0.emails.requestEmailChange($1, $2) },
            afterwards: .acts, renew: { try await $0.prove(&$1.accessToken) }
        ) {
            let (ada, eve) = try await $0.two()
            func request(_ person: SignedIn, _ email: String)
                -> InSession<GatewayV1.RequestEmailChangeRequest>
            {
                .init(person.session.accessToken, .init(newEmail: email, device: device))
            }
            return (request(ada, "ada.new@example.org"), request(eve, "eve.new@example.org"))
        },
        .inSession(
            "Emails/ConfirmEmailChange", { try await $0.emails.confirmEmailChange($1, $2) },
            afterwards: .refused(.invalidLink), renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            fixture in
            let (ada, eve) = try await fixture.two()
            func request(_ person: SignedIn, _ email: String) async throws
                -> InSession<GatewayV1.ConfirmEmailChangeRequest>
            {
                let gateway = fixture.gateway
                let access = person.session.accessToken
                _ = try await gateway.emails.requestEmailChange(
                    .init(newEmail: email, device: device), gateway.context().bearing(access))
                return .init(
                    access,
                    .init(
                        token: try await gateway.inner.linkToken(to: email, page: "change-email"),
                        device: device))
            }
            return (
                try await request(ada, "ada.new@example.org"),
                try await request(eve, "eve.new@example.org")
            )
        },
        .inSession(
            "Emails/CancelEmailChange", { try await $0.emails.cancelEmailChange($1, $2) },
            afterwards: .nothing, renew: { try await $0.refresh(&$1.accessToken) }
        ) {
            fixture in
            let (ada, eve) = try await fixture.two()
            for person in [ada, eve] {
                _ = try await fixture.gateway.emails.requestEmailChange(
                    .init(newEmail: "new.\(person.account.email)", device: device),
                    fixture.gateway.context().bearing(person.session.accessToken))
            }
            return both(ada.session, eve.session) {
                .init($0.accessToken, .init(device: device))
            }
        },
        .init(
            "Emails/ResendVerificationByPassword",
            { try await $0.emails.resendVerificationByPassword($1, $2) }, afterwards: .acts
        ) {
            _ = try await $0.two()
            return both { .init(email: $0, password: .init(text: password), device: device) }
        },
    ]

    private static let device = GatewayV1.Device(deviceId: "d1", platform: "cli", name: "Phone")
    private static let password = "Correct7Horse"
    private static let other = "Another7Horse"
    private static let ada = "ada@example.org"

    /// One request for each of the two users.
    private static func both<Request>(
        _ request: (String) async throws -> Request
    ) async throws -> (Request, Request) {
        (try await request(ada), try await request("eve@example.org"))
    }

    private static func both<Request>(_ request: (String) -> Request) -> (Request, Request) {
        (request(ada), request("eve@example.org"))
    }

    private static func both<Request>(
        _ ada: GatewayV1.Session, _ eve: GatewayV1.Session,
        _ request: (GatewayV1.Session) -> Request
    ) -> (Request, Request) { (request(ada), request(eve)) }
}
