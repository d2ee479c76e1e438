import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// How far `before_ms` may be ahead of our clock. Without a limit one wrong number would lock an
/// account for years. Beyond it the clocks of identity and session disagree, which is temporary:
/// identity retries, so a password change still ends the sessions.
private let aheadMax: Duration = .seconds(3_600)
/// The reasons that can apply to a whole account; the others apply to a single session.
private let accountReasons: [EndReason] = [
    .signedOut, .security, .revoked, .providerRevoked, .accountDeleted,
]

extension SessionsHandler {
    /// Ends an account's sessions, and rejects sign-ins that began before (S-06): after a password
    /// change, a suspension or a deletion. A session opened by a later proof continues, so that a
    /// late or repeated delivery does not sign out a user who has signed in since. Proofs are
    /// ordered by session generation, not by time (`AccountEnd`).
    package func endAccountSessions(
        _ request: SessionV1.EndAccountSessionsRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountSessionsResponse {
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        guard let reason = EndReason(request.reason), accountReasons.contains(reason) else {
            throw ServiceError(.invalidArgument, fields: ["reason"])
        }
        let excepted = try Self.excepted(request.exceptSessionId)
        let before = Timestamp(milliseconds: request.beforeMs)
        guard before.milliseconds > 0 else {
            throw ServiceError(.invalidArgument, fields: ["before_ms"])
        }
        guard before <= time.now() + aheadMax else {
            throw ServiceError(.unavailable, detail: "identity's clock is far ahead of ours")
        }
        guard request.sessionGeneration >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["session_generation"])
        }
        let end = AccountEnd(before: before, generation: request.sessionGeneration)
        let outcome = try await store.write(about: [.account(account)]) { transaction in
            try self.end(account, end, reason, except: excepted, transaction)
        }
        return SessionV1.EndAccountSessionsResponse(
            ended: UInt32(clamping: try memory.settle(outcome)))
    }

    private static func excepted(_ text: String) throws(ServiceError) -> SessionID? {
        guard !text.isEmpty else { return nil }
        guard let session = SessionID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["except_session_id"])
        }
        return session
    }

    private func end(
        _ account: AccountID, _ end: AccountEnd, _ reason: EndReason, except excepted: SessionID?,
        _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        try transaction.recordAccountEnd(account, end, reason)
        let sessions = try memory.openSessions(of: account, in: transaction).filter {
            end.covers(provedAt: $0.provedAt, generation: $0.generation) && $0.id != excepted
        }
        let (ended, live) = try transaction.end(
            sessions, reason, life: life, from: .unknown)
        try transaction.audit(
            AuditEvent(.accountSessionsEnded, account: account.key, detail: .end(reason)))
        return .done(live, ended: ended)
    }
}
