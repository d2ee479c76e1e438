import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Counts the refused uses of a session's tokens, without a record for each. A thief with a stolen
/// token of a bound session can use it any number of times, and must not fill the audit trail and
/// the disk.
///
///     refused use                      record
///     the first of a window            at once; if that is not committed, with the others
///     others within ten minutes        one in all, with their count, when the window is over
///
/// In memory: a crash loses the counts of the last ten minutes, but never the record of the first.
final class RejectedTokenCounter: Sendable {
    /// Uses that are counted together.
    struct Kind: Hashable, Sendable {
        /// The session's and its account's keys.
        let session: Int64
        let account: Int64
        let event: AuditKind
        let code: ErrorCode
    }

    /// A window that is over.
    struct Count: Hashable, Sendable {
        let kind: Kind
        /// All uses in the window, including the first.
        let uses: Int64
    }

    /// The length of a window.
    static let window: Duration = .seconds(600)
    /// Concurrent windows: about 8 MiB. Beyond them a refused use has no record of its own; only
    /// authentic tokens of that many sessions reach this bound.
    static let windowsMax = 65_536

    private struct Window {
        let begunAt: Timestamp
        var uses: Int64 = 1
        /// Whether the first use's record is on disk.
        var isRecorded = false
    }

    private let windows = Mutex<[Kind: Window]>([:])

    /// Counts a use.
    /// - Returns: whether the caller must record it; `confirm` reports that it did.
    func record(_ kind: Kind, at now: Timestamp) -> Bool {
        windows.withLock { windows in
            if let window = windows[kind] {
                windows[kind]?.uses = window.uses &+ 1
                return false
            }
            guard windows.count < Self.windowsMax else { return false }
            windows[kind] = Window(begunAt: now)
            return true
        }
    }

    /// Counts a use unless it is the first; needs no store.
    /// - Returns: whether it was counted.
    func countFurther(_ kind: Kind) -> Bool {
        windows.withLock { windows in
            guard let window = windows[kind] else { return false }
            windows[kind]?.uses = window.uses &+ 1
            return true
        }
    }

    /// The first use's record has been committed; before that its transaction may be rolled back.
    func confirm(_ kind: Kind) { windows.withLock { $0[kind]?.isRecorded = true } }

    /// The number of open windows.
    var count: Int { windows.withLock { $0.count } }

    /// Removes the windows that are over, or all of them (`now` is nil) when the program stops.
    /// - Returns: those with more than one use, or whose first use has no record.
    func take(overAt now: Timestamp?) -> [Count] {
        windows.withLock { windows in
            let over = windows.filter { _, window in
                // A clock that was set back must not keep a window open for ever.
                now.map { $0 >= window.begunAt + Self.window || $0 < window.begunAt } ?? true
            }
            for kind in over.keys { windows[kind] = nil }
            // Frees the memory.
            if windows.isEmpty { windows = [:] }
            return over.filter { $0.value.uses > 1 || !$0.value.isRecorded }
                .map { Count(kind: $0.key, uses: $0.value.uses) }
        }
    }
}

extension RejectedTokenCounter {
    /// Records a refused use of a session's token, once for each window.
    /// - Returns: what `settle` confirms after the commit; nil where there is no record.
    func auditUse(
        of session: Session, _ event: AuditKind, _ code: ErrorCode,
        _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> Kind? {
        let kind = Kind(of: session, event, code)
        guard record(kind, at: transaction.at) else { return nil }
        try transaction.audit(
            AuditEvent(event, account: kind.account, session: kind.session, outcome: code)
                .from(origin))
        return kind
    }

    /// Writes the counts of finished windows to the audit trail.
    /// - Parameter now: when the windows are over; nil for all.
    func write(overAt now: Timestamp?, to store: Store, _ logger: Logger) async {
        let counts = take(overAt: now)
        guard !counts.isEmpty else { return }
        do {
            try await store.write(about: []) { transaction in
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

extension RejectedTokenCounter.Kind {
    /// A refused use of a token of `session`.
    init(of session: Session, _ event: AuditKind, _ code: ErrorCode) {
        self.init(
            session: session.id.key, account: session.account.key, event: event, code: code)
    }
}
