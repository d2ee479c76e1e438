import ServiceRuntime
import Storage
import Synchronization

/// The uploads under way in this process. Each has the photo in memory, and its file has no row yet.
final class PhotoUploads: Sendable {
    /// Uploads at once. Each takes up to three times 5 MiB: as received, rewritten and sealed.
    static let countMax = 8
    /// An upload takes a second or two with a phone's connection.
    private static let retryAfter: Duration = .seconds(2)

    private struct State {
        var count = 0
        var blobs: Set<BlobName> = []
    }

    private let state = Mutex(State())

    /// Runs an upload.
    /// - Throws: `rpc/resource-exhausted` while there are too many; what `body` throws.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isFull = state.withLock { state in
            guard state.count < Self.countMax else { return true }
            state.count += 1
            return false
        }
        guard !isFull else {
            throw ServiceError(
                .resourceExhausted, retryAfter: Self.retryAfter, detail: "too many uploads")
        }
        defer { state.withLock { $0.count -= 1 } }
        return try await body()
    }

    /// Runs `body`, which writes the blob and commits its row, while the sweep leaves the blob.
    func holding<Value>(
        _ blob: BlobName, _ body: () async throws -> Value
    ) async throws -> Value {
        state.withLock { _ = $0.blobs.insert(blob) }
        defer { state.withLock { _ = $0.blobs.remove(blob) } }
        return try await body()
    }

    /// The blobs of uploads under way.
    var blobs: Set<BlobName> { state.withLock { $0.blobs } }
}
