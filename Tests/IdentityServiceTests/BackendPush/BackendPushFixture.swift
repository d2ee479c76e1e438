import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport

@testable import IdentityService

/// An account, and the handler of push messages to it, which permits the backend `billing`.
struct BackendPushFixture: Sendable {
    static let audience = "https://auth.example.org"
    static let label = "postern push v1"
    static let message = GatewayV1.SendPushMessageRequest(
        title: "Your order", body: "It \"left\" us.", data: [.init(key: "order", value: "7")],
        collapseKey: "order-7", expiresAtMs: 4_000_000_000_000)

    let identity: IdentityFixture
    let handler: BackendPushHandler
    /// "acc_…"
    let account: String

    /// - Parameter senders: the setting `push-senders`.
    init(_ identity: IdentityFixture? = nil, senders: [String] = ["billing"]) async throws {
        let identity = try identity ?? IdentityFixture()
        self.identity = identity
        account = try await identity.member().id
        identity.pushes.register(account)
        let applications = Applications(
            name: "billing", keyID: "k1", key: try Self.key(), mayAssertClientAddress: false)
        handler = BackendPushHandler(
            store: identity.store,
            calls: AccountCalls(
                keys: identity.keys, sessions: identity.sessions,
                backends: BackendCalls(
                    rules: [
                        .documents(writers: ["billing"]), try .pushes(senders: senders),
                    ], audiences: [Self.audience], applications: Reloadable(applications),
                    time: identity.time), time: identity.time),
            pushes: identity.pushes)
    }

    /// The backend's key.
    static func key(_ byte: UInt8 = 1) throws -> Ed25519SigningKey {
        try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    /// The parts of `bh` after the actor, as backends make them (`backend_push.proto`).
    static func parts(of push: GatewayV1.SendPushMessageRequest) -> [[UInt8]] {
        let entries = push.data.map { #"{"key":"\#($0.key)","value":"\#($0.value)"}"# }
        let texts = [
            push.title, push.body, entries.isEmpty ? "" : "[\(entries.joined(separator: ","))]",
            push.collapseKey, push.expiresAtMs == 0 ? "" : "\(push.expiresAtMs)",
        ]
        return texts.map { $0.isEmpty ? [0] : [1] + Array($0.utf8) }
    }

    /// Signs a request.
    /// - Parameters:
    ///   - signed: what the token is for, where that is another message.
    ///   - change: changes the claims.
    func signed(
        _ push: GatewayV1.SendPushMessageRequest = message,
        for signed: GatewayV1.SendPushMessageRequest? = nil, actor: String = "",
        changing change: (inout Claim) -> Void = { _ in }
    ) throws -> GatewayV1.SendPushMessageRequest {
        var claim = Claim()
        change(&claim)
        let head = [claim.label, claim.account ?? account, claim.actor ?? actor]
        let token = try BackendToken.sign(
            claim.method, head.map { Array($0.utf8) } + Self.parts(of: signed ?? push),
            idempotencyKey: claim.idempotencyKey, audience: claim.audience,
            at: identity.time.now(), by: claim.application, key: Self.key(claim.key),
            keyID: claim.keyID)
        var request = push
        request.call = .init(
            accountId: account, applicationToken: SecretBytes(text: token), actor: actor)
        return request
    }

    /// Sends a request as the gateway passes it on.
    /// - Parameter key: the idempotency key of the gateway's metadata.
    func send(
        _ request: GatewayV1.SendPushMessageRequest, key: String? = "gateway"
    ) async throws -> [String] {
        try await handler.sendPushMessage(request, identity.relayed(nil, key)).messageIds
    }

    /// A token's claims, and how a test changes them.
    struct Claim {
        var method = BackendPushDescription.sendPushMessage.name
        var audience = BackendPushFixture.audience
        var application = "billing"
        var keyID = "k1"
        var key: UInt8 = 1
        var idempotencyKey: String? = "k"
        var label = BackendPushFixture.label
        var account: String?
        var actor: String?
    }
}
