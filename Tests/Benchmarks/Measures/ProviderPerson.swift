import Contracts
import Cryptography
import Messages
import ProviderIssuer
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport

/// A person with an account at the provider, a passkey, their own client address and device, so that
/// no limit is shared.
struct ProviderPerson: Sendable {
    private static let domain = "localhost"
    private static let origin = "http://localhost:7480"
    /// Settings of programs at which the passkeys work.
    static let passkeySettings = [
        "POSTERN_PASSKEY_RP_ID": domain, "POSTERN_PASSKEY_ORIGINS": origin,
    ]

    private let number: Int
    private let client: RPCClient
    private let passkey: TestPasskey

    init(number: Int, client: RPCClient) throws {
        self.number = number
        self.client = client
        passkey = try TestPasskey(randomness: SecureRandomness())
    }

    /// The first sign-in, which creates the account; and the passkey.
    func setUp(by token: GatewayV1.ProviderToken) async throws {
        let inside = context.bearing(try await signIn(by: token)?.accessToken)
        let passkeys = PasskeysClient(client)
        let options = try await passkeys.beginPasskeyAdd(.init(), inside).options
        let made = ceremony(options?.challenge).registration(of: passkey)
        _ = try await passkeys.addPasskey(.init(credential: .init(made), device: device), inside)
    }

    // MARK: By the provider

    /// The token that the provider's dialog gives the app for a nonce of Postern's.
    func token(of issuer: ProviderIssuer) async throws -> GatewayV1.ProviderToken {
        let nonce = try await ProvidersClient(client).issueNonce(.init(provider: "google"), context)
        let token = try issuer.token(
            .google(
                of: "1174\(number)", email: "person-\(number)@example.org",
                nonce: nonce.providerNonce))
        return .init(provider: "google", idToken: token, nonce: nonce.nonce)
    }

    func signIn(by token: GatewayV1.ProviderToken) async throws -> GatewayV1.Session? {
        try await ProvidersClient(client).signInWithProvider(
            .init(token: token, device: device), context
        ).session
    }

    // MARK: By the passkey

    /// What the device signs for a challenge of Postern's.
    func signature() async throws -> GatewayV1.PasskeyAssertion {
        let options = try await PasskeysClient(client).beginPasskeySignIn(.init(), context).options
        return .init(try ceremony(options?.challenge).assertion(by: passkey))
    }

    func signIn(by signature: GatewayV1.PasskeyAssertion) async throws {
        _ = try await PasskeysClient(client).signInWithPasskey(
            .init(credential: signature, device: device), context)
    }

    private func ceremony(_ challenge: String?) -> TestCeremony {
        var ceremony = TestCeremony(challenge: challenge ?? "")
        ceremony.origin = Self.origin
        ceremony.relyingParty = Self.domain
        return ceremony
    }

    private var device: GatewayV1.Device {
        GatewayV1.Device(deviceId: "device-\(number)", platform: "cli")
    }

    private var context: CallContext { client.context(ofPerson: number) }
}
