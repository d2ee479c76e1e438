import CallRecords
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Cleans up the session table, a part at each interval: writes the ends of sessions that have
/// timed out without a call, and deletes sessions that ended long ago.
///
/// Each step is short, so that no refresh waits long for it. Sessions that may be over are found
/// with a reader, since between two open sessions there can be any number of ended ones. Only those
/// found are checked again and written by the writer. The sweep walks the whole table by key and
/// starts again.
final class SessionUpkeep: Sendable {
    /// Rows that one step reads or deletes: a few milliseconds.
    private static let stepRows = 256
    /// Steps at each interval: 4,096 rows, so that a million are visited within some hours.
    private static let stepsMax = 16

    let parts: SessionParts
    let kept: Duration
    let logger: Logger
    /// The key at which the sweep continues.
    private let position = Mutex<Int64>(0)

    /// - Parameter kept: how long a session's row is kept after its end, for the reason.
    init(parts: SessionParts, kept: Duration, logger: Logger) {
        self.parts = parts
        self.kept = kept
        self.logger = logger
    }

    /// Runs one interval's steps.
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

    /// Writes the ends of timed-out sessions among the next rows.
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

    /// Ends those of `found` that are still over: one may have been used or ended since it was
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

    /// Deletes some sessions that ended long ago.
    /// - Returns: whether there may be more.
    private func erase() async throws -> Bool {
        let erased = try await parts.store.write { [kept] transaction in
            try transaction.eraseSessions(
                endedBefore: transaction.at - kept, limit: Self.stepRows)
        }
        return erased == Self.stepRows
    }
}
