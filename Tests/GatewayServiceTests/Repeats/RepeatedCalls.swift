import Messages
import Testing

/// Every mutating public method (G-25). A new one gets its row here, and where its service is new its
/// line in `Gateway` and in `RepeatedCall.services`; until then a test fails.
enum RepeatedCalls {
    static let all: [RepeatedCall] = [
        .init("Auth/SignUpWithPassword", { try await $0.auth.signUpWithPassword($1, $2) }) { _ in
            func request(_ email: String) -> GatewayV1.SignUpWithPasswordRequest {
                .init(email: email, password: "Correct7Horse", device: device, displayName: "A")
            }
            return (request("ada@example.org"), request("eve@example.org"))
        },
        .init("Auth/SignInWithPassword", { try await $0.auth.signInWithPassword($1, $2) }) {
            _ = try await $0.two()
            func request(_ email: String) -> GatewayV1.SignInWithPasswordRequest {
                .init(email: email, password: "Correct7Horse", device: device)
            }
            return (request("ada@example.org"), request("eve@example.org"))
        },
        .init("Auth/VerifyEmail", { try await $0.auth.verifyEmail($1, $2) }) { house in
            _ = try await house.two()
            func request(_ email: String) async throws -> GatewayV1.VerifyEmailRequest {
                .init(
                    token: try await house.inner.linkToken(to: email), password: "Another7Horse",
                    device: device)
            }
            return (try await request("ada@example.org"), try await request("eve@example.org"))
        },
        .init("Auth/Refresh", { try await $0.auth.refresh($1, $2) }) {
            let (ada, eve) = try await $0.two()
            return (
                .init(refreshToken: ada.session.refreshToken, device: device),
                .init(refreshToken: eve.session.refreshToken, device: device)
            )
        },
        .init(
            "Passwords/RequestPasswordReset", { try await $0.passwords.requestPasswordReset($1, $2) }
        ) {
            _ = try await $0.two()
            return (
                .init(email: "ada@example.org", device: device),
                .init(email: "eve@example.org", device: device)
            )
        },
        .init("Passwords/ResetPassword", { try await $0.passwords.resetPassword($1, $2) }) {
            house in
            _ = try await house.two()
            func request(_ email: String) async throws -> GatewayV1.ResetPasswordRequest {
                _ = try await house.passwords.requestPasswordReset(
                    .init(email: email, device: device), house.context())
                return .init(
                    token: try await house.inner.linkToken(to: email, page: "reset-password"),
                    password: "Another7Horse", device: device)
            }
            return (try await request("ada@example.org"), try await request("eve@example.org"))
        },
        .init("Passwords/ChangePassword", { try await $0.passwords.changePassword($1, $2) }) {
            let (ada, eve) = try await $0.two()
            func request(_ person: SignedIn) -> GatewayV1.ChangePasswordRequest {
                .init(
                    accessToken: person.session.accessToken, currentPassword: "Correct7Horse",
                    newPassword: "Another7Horse", device: device)
            }
            return (request(ada), request(eve))
        },
        .init(
            "Passwords/ResendVerificationEmail",
            { try await $0.passwords.resendVerificationEmail($1, $2) }
        ) {
            let (ada, eve) = try await $0.two()
            return (
                .init(accessToken: ada.session.accessToken, device: device),
                .init(accessToken: eve.session.accessToken, device: device)
            )
        },
        .init(
            "AccountSessions/Reauthenticate", { try await $0.accountSessions.reauthenticate($1, $2) }
        ) {
            let (ada, eve) = try await $0.two()
            func request(_ person: SignedIn) -> GatewayV1.ReauthenticateRequest {
                .init(
                    accessToken: person.session.accessToken, device: device,
                    proof: .password("Correct7Horse"))
            }
            return (request(ada), request(eve))
        },
    ]

    private static let device = GatewayV1.Device(deviceId: "d1", platform: "cli", name: "Phone")
}

extension GatewayHouse {
    /// Two people, a moment ago.
    fileprivate func two() async throws -> (SignedIn, SignedIn) {
        let two = (try await signUp(), try await signUp("eve@example.org"))
        time.advance(by: .seconds(1))
        return two
    }
}
