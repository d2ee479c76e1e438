import Cryptography
import RPC
import ServiceRuntime

/// The idempotency key that a flow hands to the services it asks (G-25): a hash of the caller's,
/// bound to the application and the flow, so that two applications that choose one key do not
/// meet, and of one length, however long the caller's is.
enum DerivedIdempotencyKey {
    private static let callersBytes = 1...255

    /// The key for what `flow` asks; nil where the caller sent none.
    /// - Throws: `rpc/invalid-argument` where the caller's is empty or too long.
    static func of(
        _ context: CallContext, _ flow: StaticString
    ) throws(ServiceError) -> String? {
        let entries = context.metadata.entries
        guard let entry = entries.first(where: { $0.key == Metadata.Key.idempotencyKey }) else {
            return nil
        }
        guard callersBytes.contains(entry.value.count) else {
            throw ServiceError(.invalidArgument, fields: ["idempotency-key"])
        }
        return Hex.encode(
            SHA256.hash(
                DelimitedParts.joined([
                    Array(context.application.utf8), Array(flow.description.utf8), entry.value,
                ])))
    }
}

extension CallContext {
    /// The context of the mutating calls that `flow` makes. Asked for before anything is done, so
    /// that a wrong key costs nothing.
    /// - Throws: as `DerivedIdempotencyKey`.
    func onward(for flow: StaticString) throws(ServiceError) -> CallContext {
        onward(idempotencyKey: try DerivedIdempotencyKey.of(self, flow))
    }
}
