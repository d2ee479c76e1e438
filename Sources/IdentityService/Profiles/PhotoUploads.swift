import ServiceRuntime
import Storage
import Synchronization

/// The uploads under way in this process. Each has the photo in memory, and its file has no row yet.
///
/// An account has one at a time, and ten an hour (`profile-update-by-account`). So to keep all others
/// waiting, an attacker needs many accounts that upload slowly at once, and each upload ends after a
/// minute.
final class PhotoUploads: Sendable {
    /// Bytes of all photos under way. Each takes up to three times its size: as received, rewritten
    /// and sealed.
    static let bytesMax = 64 * 1_024 * 1_024
    /// An upload takes a second or two with a phone's connection.
    private static let retryAfter: Duration = .seconds(2)

    private struct State {
        var accounts: Set<AccountID> = []
        var bytes = 0
        var blobs: Set<BlobName> = []
    }

    private let state = Mutex(State())

    /// Runs an upload of `bytes` bytes.
    /// - Throws: `rpc/resource-exhausted` while the account has another one, and while there are too
    ///   many; what `body` throws.
    func run<Value>(
        of account: AccountID, bytes: Int, _ body: () async throws -> Value
    ) async throws -> Value {
        let begins = state.withLock { state in
            guard state.bytes + bytes <= Self.bytesMax, state.accounts.insert(account).inserted
            else { return false }
            state.bytes += bytes
            return true
        }
        guard begins else {
            throw ServiceError(
                .resourceExhausted, retryAfter: Self.retryAfter, detail: "too many uploads")
        }
        defer {
            state.withLock { state in
                state.accounts.remove(account)
                state.bytes -= bytes
            }
        }
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
