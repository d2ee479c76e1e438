import Logging
import ServiceRuntime
import Synchronization

/// Holds the service while its clock may be far ahead (security.md, Clock).
///
/// A start more than a day after the store's last mark means that the machine was off for long, or
/// that its clock is wrong; nobody here can tell. If it is wrong, every session is idle for too
/// long at once. So time goes on from the mark, nothing that rests on it is answered, and nothing
/// is written with a moment that may never have been:
///
///     agrees ─────────────────────────────────────────────▶ answering
///     far ahead ──▶ held ── the operator accepts ─────────▶ answering, at the machine's clock
///                     └──── the machine's clock comes back ▶ answering, at the machine's clock
final class ClockHold: Sendable {
    private let held: Atomic<Bool>
    /// Taken to let go, so that the time is set once.
    private let letGo = Mutex(())
    private let time: any Time
    private let logger: Logger

    /// - Parameter start: how the store's mark and the machine's clock stood at the start.
    init(_ start: ClockStart, time: any Time, logger: Logger) {
        self.time = time
        self.logger = logger
        guard case .farAhead(let mark) = start else {
            held = Atomic(false)
            return
        }
        held = Atomic(true)
        time.goOn(from: mark)
        logger.error(
            """
            the clock is more than a day ahead of this store: refreshes and validations wait \
            until it is set right, or accepted with postern.session.v1.Clock/Accept
            """,
            fields: [.milliseconds: .integer((time.wallClock() - mark).milliseconds)])
    }

    /// Whether calls that rest on the time must wait.
    var isHeld: Bool {
        guard held.load(ordering: .relaxed) else { return false }
        if case .farAhead = ClockStart.of(wall: time.wallClock(), mark: time.now()) { return true }
        release()
        return false
    }

    /// - Throws: `rpc/unavailable` while held.
    func requireAnswering() throws(ServiceError) {
        guard isHeld else { return }
        throw ServiceError(.unavailable, detail: "the clock waits for the operator's word")
    }

    /// Takes the machine's clock for right.
    /// - Returns: whether that was waited for.
    @discardableResult
    func release() -> Bool {
        letGo.withLock { _ in
            guard held.load(ordering: .relaxed) else { return false }
            // Never back: what has been stamped meanwhile is not in the future.
            time.goOn(from: max(time.now(), time.wallClock()))
            held.store(false, ordering: .relaxed)
            logger.warning("the clock is accepted", fields: [:])
            return true
        }
    }
}
