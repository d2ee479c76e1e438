import CallRecords
import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// An account's activity (I-01): its live sessions, when one was last used, and when the account
/// was last seen.
struct AccountActivityReader: Sendable {
    let parts: SessionParts

    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func run(
        _ request: SessionV1.AccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.AccountActivityResponse {
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        let (open, seen) = try await parts.store.read {
            (try $0.openSessions(of: account), try $0.accountSeen(account))
        }
        let now = parts.time.now()
        let sessions = open.map(parts.activity.applied(to:))
        let live = sessions.filter { parts.life.state(of: $0, at: now) == .live }
        // A session that has timed out was still used, even if its end is not written yet.
        let latest = (sessions.map(\.usedAt) + [seen].compactMap(\.self)).max()
        return SessionV1.AccountActivityResponse(
            liveSessions: UInt32(clamping: live.count),
            lastActivityAtMs: live.map(\.usedAt).max()?.milliseconds ?? 0,
            lastSeenAtMs: latest?.milliseconds ?? 0)
    }
}

/// Account activity, for identity and the operator's tool.
extension SessionService: AccountActivityService {
    /// Returns an account's activity (`AccountActivityReader`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as
    ///   `AccountActivityReader.run`.
    package func accountActivity(
        _ request: SessionV1.AccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.AccountActivityResponse {
        try parts.clock.requireAnswering()
        return try await AccountActivityReader(parts: parts).run(request, context)
    }
}
