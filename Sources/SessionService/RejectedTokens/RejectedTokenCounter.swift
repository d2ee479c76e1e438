import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Counts the refused uses of a session's tokens, without a record for each. A thief with a stolen
/// token of a bound session can use it any number of times, and must not fill the audit trail and
/// the disk.
///
///     refused use                      record
///     the first of a window            at once
///     others within ten minutes        one in all, with their count, when the window is over
///
/// A window opens when the record of its first use has been committed, so uses of one commit have a
/// record each. In memory: a crash loses the counts of the last ten minutes, but never the record
/// of the first.
final class RejectedTokenCounter: Sendable {
    /// Uses that are counted together.
    struct Kind: Hashable, Sendable {
        /// The session's and its account's keys.
        let session: Int64
        let account: Int64
        let event: AuditKind
        let code: ErrorCode
    }

    /// A refused use whose transaction has been committed.
    struct Use: Hashable, Sendable {
        let kind: Kind
        let at: Timestamp
        /// Whether the transaction has recorded it.
        let isRecorded: Bool
        /// Where it comes from, if the session is a newcomer's (`NewcomerRecords`).
        let newcomersOrigin: CallOrigin?
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
        /// Whether the first use has a record: false if another window ended during its
        /// transaction.
        let isRecorded: Bool
        var uses: Int64 = 1
    }

    private let windows = Mutex<[Kind: Window]>([:])

    /// Whether a use has to be recorded: the first of a window. Changes nothing, since the
    /// transaction that asks may be run again.
    func needsRecord(_ kind: Kind) -> Bool {
        windows.withLock { $0[kind] == nil && $0.count < Self.windowsMax }
    }

    /// Counts a use after the commit of its transaction.
    func count(_ use: Use) {
        windows.withLock { windows in
            if let window = windows[use.kind] {
                windows[use.kind]?.uses = window.uses &+ 1
            } else if windows.count < Self.windowsMax {
                windows[use.kind] = Window(begunAt: use.at, isRecorded: use.isRecorded)
            }
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
    /// - Parameter recordsNewcomers: Whether that of a newcomer has a record (`NewcomerRecords`).
    /// - Returns: what `settle` counts after the commit; nil if it was counted by its network.
    func auditUse(
        of session: Session, _ event: AuditKind, _ code: ErrorCode,
        _ origin: CallOrigin, recordsNewcomers: Bool, _ transaction: Transaction
    ) throws -> Use? {
        let isNewcomers = session.isNewcomers(at: transaction.at)
        guard recordsNewcomers || !isNewcomers else {
            try transaction.auditCounted(event, outcome: code, from: origin)
            return nil
        }
        let kind = Kind(of: session, event, code)
        let isRecorded = needsRecord(kind)
        if isRecorded {
            try transaction.audit(
                AuditEvent(event, account: kind.account, session: kind.session, outcome: code)
                    .from(origin))
        }
        return Use(
            kind: kind, at: transaction.at, isRecorded: isRecorded,
            newcomersOrigin: isNewcomers ? origin : nil)
    }

    /// Writes the counts of finished windows to the audit trail.
    /// - Parameter now: when the windows are over; nil for all.
    func write(overAt now: Timestamp?, to store: Store, _ logger: Logger) async {
        let counts = take(overAt: now)
        guard !counts.isEmpty else { return }
        do {
            try await store.write(about: [], evenIfCancelled: true) { transaction in
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
