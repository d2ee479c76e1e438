import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// The app's backend `billing`, which signs an application token for each of its calls (I-07).
struct BackendSigner: Sendable {
    static let application = "billing"
    static let origin = "https://auth.example"

    private let key: Ed25519SigningKey

    init() throws {
        key = try Ed25519SigningKey(
            seed: .generate(count: 32, randomness: SeededRandomness(seed: 5)))
    }

    /// Its key, for the services that verify its tokens.
    var applications: Applications {
        Applications(
            name: Self.application, keyID: "k1", key: key, mayAssertClientAddress: false)
    }

    /// The account of a call, and a token for it.
    /// - Parameters:
    ///   - method: the rpc's own name.
    ///   - parts: what `bh` covers after the actor.
    func call(
        on account: String, _ method: String, _ parts: [String], idempotencyKey: String?,
        at moment: Timestamp, as actor: String = ""
    ) throws -> GatewayV1.BackendCall {
        let token = try DocumentToken.sign(
            method, [DocumentToken.label, account, actor] + parts, idempotencyKey: idempotencyKey,
            audience: Self.origin, at: moment, by: Self.application, key: key)
        return .init(
            accountId: account, applicationToken: SecretBytes(text: token), actor: actor)
    }

    /// The same for a call of any service.
    /// - Parameter label: the first of the signed parts.
    func call(
        on account: String, _ method: MethodDescription, _ label: String, _ parts: [[UInt8]],
        idempotencyKey: String?, at moment: Timestamp, as actor: String = ""
    ) throws -> GatewayV1.BackendCall {
        let token = try BackendToken.sign(
            method.name, [label, account, actor].map { Array($0.utf8) } + parts,
            idempotencyKey: idempotencyKey, audience: Self.origin, at: moment,
            by: Self.application, key: key)
        return .init(
            accountId: account, applicationToken: SecretBytes(text: token), actor: actor)
    }
}
