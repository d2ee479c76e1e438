import Messages
import PublicCalls
import ServiceRuntime

/// A caller for whom nothing exists but what its type says: its other tokens and ids are
/// placeholders.
protocol PlaceholderCaller: PreparedCaller {}

extension PlaceholderCaller {
    var name: String { Self.name(number) }
    var googleIssuer: String { "https://accounts.google.com" }

    static func name(_ number: Int) -> String { "\(number)-caller" }

    func account(_ kind: CallerKind) async throws -> CallSession {
        CallSession(
            accountID: "acc_1", sessionID: "ses_1", accessToken: "access", refreshToken: "refresh")
    }

    func otherSessions(_ count: Int) async throws -> [String] {
        (0..<count).map { "ses_\($0 + 2)" }
    }

    func link(_ page: LinkPage) async throws -> String { page.rawValue }

    func code(
        for purpose: GatewayV1.PhoneCodePurpose?, _ number: Int
    ) async throws -> GatewayV1.PhoneCodeProof {
        .init(requestId: "pcr_1", phoneNumber: phone(number), code: Bound.code("123456"))
    }

    func token(of provider: String, _ number: Int) async throws -> GatewayV1.ProviderToken {
        .init(
            provider: provider, idToken: Bound.text(8_192), nonce: "nonce",
            authorizationCode: Bound.text(512), displayName: Bound.displayName)
    }

    func links(_ method: String) async throws {}
    func removesPassword() async throws {}
    func challenge() async throws -> String { "challenge" }
    func mailedChallengeCode() async throws -> (challenge: String, code: String) {
        (try await challenge(), "123456")
    }
    func enrollment() async throws -> CallEnrollment { CallEnrollment(token: "enrollment") }
    func factor() async throws -> CallFactor {
        CallFactor(id: "fac_1", recoveryCodes: ["0000-0000-00000"])
    }
    func factorChallenge() async throws -> String { "challenge" }
    func appCode() async throws -> String { "123456" }
    func newPasskey() async throws -> GatewayV1.PasskeyRegistration {
        .init(
            id: "id", rawId: "id",
            response: .init(
                clientDataJson: "client", attestationObject: "object",
                transports: Bound.transports), type: "public-key")
    }
    func passkey() async throws -> String { "pky_1" }
    func passkeySignature() async throws -> GatewayV1.PasskeyAssertion {
        .init(
            id: "id", rawId: "id",
            response: .init(
                clientDataJson: "client", authenticatorData: "data", signature: "signature",
                userHandle: "handle"), type: "public-key")
    }
    func appleNotice() async throws -> String { Bound.text(8_192) }
    func holds(_ documents: [GatewayV1.DocumentWrite], as kind: CallerKind) async throws {}
    func photo() async throws -> String { "photo" }
    func pushDevice() async throws -> String { PushDeviceID(key: 1)?.text ?? "" }
    func changesEmail() async throws {}
    func export() async throws -> String { "exp_1" }
    func waitsForDeletion() async throws {}
    func confirmation(link: String) async throws -> String { "confirmation" }
    func collision(_ documents: [GatewayV1.DocumentWrite]) async throws -> String { "choice" }
    func migration(_ documents: [GatewayV1.DocumentWrite]) async throws -> String { "mig_1" }
    func secondPage() async throws -> String { "page" }
    func isSuspended() async throws {}

    func signed(
        _ request: SignedRequest, _ number: Int
    ) async throws -> GatewayV1.BackendCall {
        .init(accountId: "acc_1", applicationToken: Bound.secret("token"), actor: Bound.actor)
    }
}

/// A caller for whom nothing exists at all.
struct UnknownCaller: PlaceholderCaller {
    let number = 1
    let device: CallDevice

    init() throws { device = try CallDevice(Self.name(number), time: SystemTime()) }
}
