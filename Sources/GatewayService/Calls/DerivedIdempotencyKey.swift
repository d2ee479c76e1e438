import Cryptography
import RPC
import ServiceRuntime

/// The idempotency key that a flow passes to the services it calls (G-25): a hash of the caller's
/// key, the application and the flow. Two applications that choose the same key therefore do not
/// collide, and its length does not depend on the caller's.
enum DerivedIdempotencyKey {
    private static let callersBytes = 1...255

    /// The key for the calls of `flow`; nil if the caller sent none.
    /// - Throws: `rpc/invalid-argument` if the caller's key is empty or too long.
    static func of(
        _ context: CallContext, _ flow: String
    ) throws(ServiceError) -> String? {
        let entries = context.metadata.entries
        guard let entry = entries.first(where: { $0.key == Metadata.Key.idempotencyKey }) else {
            return nil
        }
        guard callersBytes.contains(entry.value.count) else {
            throw ServiceError.invalidArgument(
                Metadata.Key.idempotencyKey, "Use 1 to \(callersBytes.upperBound) bytes.")
        }
        return Hex.encode(
            SHA256.hash(
                DelimitedParts.joined([
                    Array(context.application.utf8), Array(flow.utf8), entry.value,
                ])))
    }
}
