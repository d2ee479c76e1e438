import Contracts
import Cryptography
package import Messages
import RPC
import ServiceRuntime
import TestSupport

/// What backends send.
extension LiveCaller {
    package nonisolated func signed(
        _ request: SignedRequest, _ number: Int
    ) async throws -> GatewayV1.BackendCall {
        let account = try await request.hasAccount ? owner.accountID : ""
        let method = request.method
        let name = method.name.split(separator: ".").last.map(String.init) ?? method.name
        let token = try BackendToken.sign(
            method.name,
            [request.label, account, Bound.actor].map { Array($0.utf8) } + request.parts,
            idempotencyKey: method.isIdempotent ? nil : key(name, number),
            audience: callers.audience,
            at: SystemTime().now(), by: "shop", key: callers.writer.key,
            keyID: callers.writer.keyID)
        return .init(accountId: account, applicationToken: Bound.secret(token), actor: Bound.actor)
    }
}
