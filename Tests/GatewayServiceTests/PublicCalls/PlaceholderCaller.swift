import Messages
import PublicCalls

/// A caller for whom nothing exists: its tokens and ids are placeholders.
struct PlaceholderCaller: PreparedCaller {
    let name = "1-caller"
    let number = 1
    let device: CallDevice
    let googleIssuer = "https://accounts.google.com"

    init() throws { device = try CallDevice(name) }

    func account(_ kind: CallerKind) -> CallSession {
        CallSession(
            accountID: "acc_1", sessionID: "ses_1", accessToken: "access", refreshToken: "refresh")
    }

    func otherSessions(_ count: Int) -> [String] { (0..<count).map { "ses_\($0 + 2)" } }
    func link(_ page: LinkPage) -> String { page.rawValue }

    func code(
        for purpose: GatewayV1.PhoneCodePurpose?, _ number: Int
    ) -> GatewayV1.PhoneCodeProof {
        .init(requestId: "pcr_1", phoneNumber: phone(number), code: Bound.code("123456"))
    }

    func token(of provider: String, _ number: Int) -> GatewayV1.ProviderToken {
        .init(
            provider: provider, idToken: Bound.text(8_192), nonce: "nonce",
            authorizationCode: Bound.text(512), displayName: Bound.displayName)
    }

    func links(_ method: String) {}
    func appleNotice() -> String { Bound.text(8_192) }
    func holds(_ documents: [GatewayV1.DocumentWrite], as kind: CallerKind) {}
    func photo() -> String { "photo" }
    func changesEmail() {}
    func export() -> String { "exp_1" }
    func waitsForDeletion() {}
    func confirmation(link: String) -> String { "confirmation" }
    func collision(_ documents: [GatewayV1.DocumentWrite]) -> String { "choice" }
    func migration(_ documents: [GatewayV1.DocumentWrite]) -> String { "mig_1" }
    func secondPage() -> String { "page" }
    func isSuspended() {}

    func signed(_ method: String, _ parts: [String], _ number: Int) -> GatewayV1.BackendCall {
        .init(accountId: "acc_1", applicationToken: "token", actor: Bound.actor)
    }
}
