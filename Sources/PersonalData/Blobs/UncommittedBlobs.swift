package import Storage
import Synchronization

/// The files of photos and exports of this process whose row is not committed yet. The sweep leaves
/// them (`BlobSweep`).
package final class UncommittedBlobs: Sendable {
    private let held = Mutex<Set<BlobName>>([])

    /// None at the start of a process.
    package init() {}

    /// Their names, now.
    package var names: Set<BlobName> { held.withLock { $0 } }

    /// Runs `body`, which writes the blob and commits its row, while the sweep leaves the blob.
    /// - Throws: what `body` throws.
    func holding<Value>(
        _ blob: BlobName, _ body: () async throws -> Value
    ) async throws -> Value {
        held.withLock { _ = $0.insert(blob) }
        defer { held.withLock { _ = $0.remove(blob) } }
        return try await body()
    }
}
