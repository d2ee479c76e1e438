import CallRecords
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Keeps the table of sessions honest and small, a little at each interval: notes the ends that
/// time has brought and nobody has met, and erases sessions that ended long ago.
///
/// A step is short, so that no refresh waits long behind it: what may have ended is looked for
/// beside the writer, since the way from one open session to the next can lead past any number of
/// ended ones, and only what was found is looked at again and written by it. The sweep goes round
/// the whole table by key and begins again.
final class SessionUpkeep: Sendable {
    /// Rows that one step looks at or erases: a few milliseconds.
    private static let stepRows = 256
    /// Steps at each interval: 4,096 rows, so that a million are seen within some hours.
    private static let stepsMax = 16

    let parts: SessionParts
    let kept: Duration
    let logger: Logger
    /// Where the sweep goes on.
    private let position = Mutex<Int64>(0)

    /// - Parameter kept: how long a session stays after its end, so that its reason can be told.
    init(parts: SessionParts, kept: Duration, logger: Logger) {
        self.parts = parts
        self.kept = kept
        self.logger = logger
    }

    /// Does an interval's share.
    func step() async {
        do {
            for _ in 0..<Self.stepsMax where try await !sweep() { break }
            for _ in 0..<Self.stepsMax where try await !erase() { break }
        } catch {
            logger.warning(
                "session.cleanup.failed", "deleting ended sessions failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Notes ends among the next rows.
    /// - Returns: whether there may be more before the table's end.
    func sweep() async throws -> Bool {
        let after = position.withLock { $0 }
        let rows = try await parts.store.read {
            try $0.openSessions(after: after, limit: Self.stepRows)
        }
        let now = parts.time.now()
        let found = rows.filter { isOver(parts.activity.applied(to: $0), at: now) }
        if !found.isEmpty { try await noteEnds(of: found.map(\.id)) }
        let last = rows.count < Self.stepRows ? nil : rows.last?.id.key
        position.withLock { $0 = last ?? 0 }
        return last != nil
    }

    /// Ends those of `found` that are over still: one may have been used or ended since it was
    /// read.
    func noteEnds(of found: [SessionID]) async throws {
        let ended = try await parts.store.write { [self] transaction in
            let over = try found.compactMap { try transaction.session($0) }
                .map(parts.activity.applied(to:))
                .filter { $0.end == nil && isOver($0, at: transaction.at) }
            return try transaction.end(over, .inactive, life: parts.life, from: .unknown).ended
        }
        parts.ended.insert(ended)
    }

    private func isOver(_ session: Session, at now: Timestamp) -> Bool {
        if case .over = parts.life.state(of: session, at: now) { true } else { false }
    }

    /// Erases some that ended long ago.
    /// - Returns: whether there may be more.
    private func erase() async throws -> Bool {
        let erased = try await parts.store.write { [kept] transaction in
            try transaction.eraseSessions(
                endedBefore: transaction.at - kept, limit: Self.stepRows)
        }
        return erased == Self.stepRows
    }
}
