import Logging
import ServiceRuntime
import Storage

/// Brings the counts of windows that are over into the audit trail.
struct RejectedTokenFlusher: Sendable {
    let parts: SessionParts
    let logger: Logger

    /// Writes those that are over, or all that are open.
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
            // The first of each has its record; how many followed is worth no second try.
            logger.warning(
                "session.rejected_tokens.write.failed", "recording rejected tokens failed",
                fields: [.count: .count(counts.count), .detail: .error(error)])
        }
    }
}
