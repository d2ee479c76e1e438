import CallRecords
import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// How an account is used (I-01): its live sessions, when one was last used, and when the account was
/// last seen at all.
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
        // One that time has ended was used all the same, though its end may not be noted yet.
        let latest = (sessions.map(\.usedAt) + [seen].compactMap(\.self)).max()
        return SessionV1.AccountActivityResponse(
            liveSessions: UInt32(clamping: live.count),
            lastActivityAtMs: live.map(\.usedAt).max()?.milliseconds ?? 0,
            lastSeenAtMs: latest?.milliseconds ?? 0)
    }
}

/// How accounts are used, for who keeps them.
extension SessionService: AccountActivityService {
    /// `AccountActivityReader`.
    package func accountActivity(
        _ request: SessionV1.AccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.AccountActivityResponse {
        try parts.clock.requireAnswering()
        return try await AccountActivityReader(parts: parts).run(request, context)
    }
}
