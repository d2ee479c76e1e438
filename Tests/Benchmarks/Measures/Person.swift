import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// A person with their own client address, so that no limit is shared.
struct Person: Sendable {
    private static let password = "Correct7Horse"
    private static let device = GatewayV1.Device(deviceId: "d1", platform: "cli")

    private let email: String
    private let client: RPCClient
    private let number: Int

    /// - Parameters:
    ///   - number: from 0 to 60,000; selects the client address.
    ///   - tag: distinguishes the people of one run from another's.
    init(number: Int, tag: String, client: RPCClient) {
        email = "person-\(number)-\(tag)@example.org"
        self.number = number
        self.client = client
    }

    /// A tag for a new run.
    static func newTag() -> String {
        SecureRandomness().bytes(6).map { String($0, radix: 16) }.joined()
    }

    func signUp() async throws -> GatewayV1.Session? {
        try await AuthClient(client).signUpWithPassword(
            GatewayV1.SignUpWithPasswordRequest(
                email: email, password: .init(text: Self.password), device: Self.device), context
        ).session
    }

    func signIn() async throws -> GatewayV1.Session? {
        try await AuthClient(client).signInWithPassword(
            GatewayV1.SignInWithPasswordRequest(
                email: email, password: .init(text: Self.password), device: Self.device), context
        ).session
    }

    /// Sets an authenticator app up in a session.
    func setUpApp(in session: GatewayV1.Session?) async throws -> AppCodes {
        let inside = context.bearing(session?.accessToken)
        let factors = SecondFactorsClient(client)
        let begun = try await factors.beginTOTP(.init(), inside)
        let codes = AppCodes(of: begun)
        _ = try await factors.confirmTOTP(
            .init(
                enrollmentToken: begun.enrollmentToken, code: codes.used, device: Self.device),
            inside)
        return codes
    }

    /// Signs in by the password and a code of the app.
    func signIn(with code: SecretBytes) async throws -> GatewayV1.Session? {
        do {
            return try await signIn()
        } catch let error as ServiceError where error.code == .secondProofRequired {
            return try await SignInChallengesClient(client).completeSignIn(
                .init(
                    challenge: error.secondProof?.challenge ?? "", device: Self.device,
                    proof: .totpCode(code)), context
            ).session
        }
    }

    /// - Returns: the session with its next refresh token.
    func refresh(_ session: GatewayV1.Session?) async throws -> GatewayV1.Session? {
        try await AuthClient(client).refreshSession(
            GatewayV1.RefreshSessionRequest(refreshToken: session?.refreshToken ?? ""), context
        ).session
    }

    private var context: CallContext { client.context(ofPerson: number) }
}
