import CallRecords
import ServiceRuntime
import Storage
import Synchronization

/// How often a session's tokens were used in a way that is refused, without a record for each: who
/// holds a stolen token of a bound session can use it as often as he likes, and must not fill the
/// audit trail and the disk with it.
///
///     refused use                      record
///     the first of a window            at once; if that is not committed, with the others
///     others within ten minutes        one in all, with their count, when the window is over
///
/// In memory: a crash loses the counts of the last ten minutes, and never that there was one.
final class RejectedTokenCounter: Sendable {
    /// What is counted together.
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
        /// All of the window's, the first too.
        let uses: Int64
    }

    /// How long refused uses are counted together.
    static let window: Duration = .seconds(600)
    /// Windows at once: some 8 MiB. Beyond them a refused use leaves no record of its own; only
    /// genuine tokens of so many sessions come that far.
    static let windowsMax = 65_536

    private struct Window {
        let begunAt: Timestamp
        var uses: Int64 = 1
        /// The first use's record is on disk.
        var isRecorded = false
    }

    private let windows = Mutex<[Kind: Window]>([:])

    /// Counts a use.
    /// - Returns: whether it is to be recorded by itself; `confirm` tells that it was.
    func note(_ kind: Kind, at now: Timestamp) -> Bool {
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

    /// Counts a use if it is not the first, which needs no store.
    /// - Returns: whether it was counted.
    func noteFurther(_ kind: Kind) -> Bool {
        windows.withLock { windows in
            guard let window = windows[kind] else { return false }
            windows[kind]?.uses = window.uses &+ 1
            return true
        }
    }

    /// The first use's record has been committed: until then its transaction may be undone.
    func confirm(_ kind: Kind) { windows.withLock { $0[kind]?.isRecorded = true } }

    /// How many windows are open.
    var count: Int { windows.withLock { $0.count } }

    /// Those that are over, or all, the program being about to stop; they are forgotten.
    /// - Returns: those with more than a first use that has its record.
    func take(overAt now: Timestamp?) -> [Count] {
        windows.withLock { windows in
            let over = windows.filter { _, window in
                // A clock that fell back must not keep one open for ever.
                now.map { $0 >= window.begunAt + Self.window || $0 < window.begunAt } ?? true
            }
            for kind in over.keys { windows[kind] = nil }
            // Gives the memory back.
            if windows.isEmpty { windows = [:] }
            return over.filter { $0.value.uses > 1 || !$0.value.isRecorded }
                .map { Count(kind: $0.key, uses: $0.value.uses) }
        }
    }
}

extension SessionParts {
    /// Records that a session's token was used in a way that is refused, once for each window.
    /// - Returns: what `settle` confirms once it is committed; nil where there is no record.
    func auditRefusedUse(
        of session: Session, _ event: AuditKind, _ code: ErrorCode,
        _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> RejectedTokenCounter.Kind? {
        let kind = RejectedTokenCounter.Kind(of: session, event, code)
        guard rejectedTokens.note(kind, at: transaction.at) else { return nil }
        try transaction.audit(
            AuditEvent(event, account: kind.account, session: kind.session, outcome: code)
                .from(origin))
        return kind
    }
}

extension RejectedTokenCounter.Kind {
    /// A use of a token of `session`.
    init(of session: Session, _ event: AuditKind, _ code: ErrorCode) {
        self.init(
            session: session.id.key, account: session.account.key, event: event, code: code)
    }
}
