import ServiceRuntime
import Storage

extension BlobStore {
    /// Runs `commit`, which commits the row of a blob that was written. If the row is refused, the
    /// blob is removed.
    ///
    /// Attack: a newcomer without room for it uploads a photo again and again. Each upload is
    /// refused only with its row, and the sweep removes no blob before it is a day old.
    ///
    /// After `rpc/unavailable` the row may be there, or become so: a server that was sent a COMMIT
    /// may still do it. Then the sweep decides, which knows whether there is a row.
    /// - Throws: what `commit` throws.
    func keep<Value>(_ blob: BlobName, _ commit: () async throws -> Value) async throws -> Value {
        do {
            return try await commit()
        } catch let error as ServiceError where error.code != .unavailable {
            // The sweep removes one that stays.
            try? await remove([blob])
            throw error
        }
    }
}
