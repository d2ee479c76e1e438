import ServiceRuntime
import Synchronization

/// The uploads under way in this process. Each has the photo in memory.
///
/// An account has one at a time, and ten an hour, also refused ones (`profile-update-by-account`).
/// What counts is what has arrived: a client that announces a photo and sends nothing keeps nobody
/// waiting. So to do that, an attacker needs dozens of accounts an hour, and sends all bytes again
/// each minute, after which an upload ends.
final class PhotoUploads: Sendable {
    /// Bytes of all photos under way. Each takes up to three times its size: as received, rewritten
    /// and sealed.
    static let bytesMax = 64 * 1_024 * 1_024
    /// An upload takes a second or two with a phone's connection.
    private static let retryAfter: Duration = .seconds(2)

    private struct State {
        /// The bytes that have arrived, by account.
        var accounts: [AccountID: Int] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    /// Runs an upload, which reports what arrives by `receive`.
    /// - Throws: `rpc/resource-exhausted` while the account has another one; what `body` throws.
    func run<Value>(
        of account: AccountID, _ body: () async throws -> Value
    ) async throws -> Value {
        let begins = state.withLock { state in
            guard state.accounts[account] == nil else { return false }
            state.accounts[account] = 0
            return true
        }
        guard begins else { throw Self.tooMany }
        defer {
            state.withLock { state in
                state.bytes -= state.accounts.removeValue(forKey: account) ?? 0
            }
        }
        return try await body()
    }

    /// Counts bytes that have arrived for the upload of an account.
    /// - Throws: `rpc/resource-exhausted` while there are too many.
    func receive(_ bytes: Int, of account: AccountID) throws(ServiceError) {
        let isAccepted = state.withLock { state in
            guard bytes <= Self.bytesMax - state.bytes else { return false }
            state.accounts[account, default: 0] += bytes
            state.bytes += bytes
            return true
        }
        guard isAccepted else { throw Self.tooMany }
    }

    private static var tooMany: ServiceError {
        ServiceError(.resourceExhausted, retryAfter: retryAfter, detail: "too many uploads")
    }
}
