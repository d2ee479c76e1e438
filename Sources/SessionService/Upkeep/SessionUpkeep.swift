import CallRecords
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Keeps the table of sessions honest and small, a little at each interval: notes the ends that
/// time has brought and nobody has met, and erases sessions that ended long ago.
///
/// A step is one short transaction, so that no refresh waits long behind it; the sweep goes round
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
            logger.warning("sessions were not tidied", fields: [.detail: .error(error)])
        }
    }

    /// Notes ends among the next rows.
    /// - Returns: whether there may be more before the table's end.
    private func sweep() async throws -> Bool {
        let after = position.withLock { $0 }
        let (ended, last) = try await parts.store.write { [parts] transaction in
            let rows = try transaction.openSessions(after: after, limit: Self.stepRows)
            let over = rows.map(parts.activity.applied(to:)).filter {
                if case .over = parts.life.state(of: $0, at: transaction.at) { true } else { false }
            }
            let ended = try transaction.end(
                over, .inactive, life: parts.life, from: .unknown
            ).ended
            return (ended, rows.count < Self.stepRows ? nil : rows.last?.id.key)
        }
        parts.ended.insert(ended)
        position.withLock { $0 = last ?? 0 }
        return last != nil
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
