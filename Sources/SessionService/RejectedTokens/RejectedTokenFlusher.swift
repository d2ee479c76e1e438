import Logging
import ServiceRuntime
import Storage

/// Writes the counts of finished windows to the audit trail.
struct RejectedTokenFlusher: Sendable {
    let parts: SessionParts
    let logger: Logger

    /// Writes the windows that are over, or all.
    func write(all: Bool = false) async {
        let counts = parts.rejectedTokens.take(overAt: all ? nil : parts.time.now())
        guard !counts.isEmpty else { return }
        do {
            try await parts.store.write { transaction in
                for count in counts {
                    try transaction.audit(
                        AuditEvent(
                            count.kind.event, account: count.kind.account,
                            session: count.kind.session, outcome: count.kind.code,
                            attempt: count.uses))
                }
            }
        } catch {
            // The first use of each has its record; the count of the others is not worth a retry.
            logger.warning(
                "session.rejected_tokens.write.failed", "recording rejected tokens failed",
                fields: [.count: .count(counts.count), .detail: .error(error)])
        }
    }
}
