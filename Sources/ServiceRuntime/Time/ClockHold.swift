package import Logging
import Synchronization

/// Sets a program's time at its start, and waits while the machine's clock may be far ahead
/// (Sources/SECURITY.md, Clock).
///
/// A start more than a day after the store's last mark means that the machine was off for long, or
/// that its clock is wrong; nobody here can tell. If it is wrong, every session is idle for too
/// long at once, and a mark written from it would drag the time along when the clock is set right.
/// So time goes on from the mark, in every service, nothing is written with a moment that may never
/// have been, and whoever ends things by time (the session service) answers nothing that rests on
/// it:
///
///     agrees ──────────────────────────────────────────────▶ answering, at the machine's clock
///     counted, behind ─────────────────────────────────────▶ answering, at the store's time
///     far ahead ──▶ held ── the operator accepts ───────────▶ answering, at the machine's clock
///                     ├──── a time server has set the clock ▶ answering, at the machine's clock
///                     └──── the machine's clock comes back ─▶ answering, at the machine's clock
///
/// The operator can also accept a step that came later, while the program ran or before its start
/// within one boot: forward only, since what has been stamped must not lie in the future (B15).
package final class ClockHold: Sendable {
    /// The log event of a start that waits; `postern up` searches for it and tells the operator.
    package static let farAheadEvent = "clock.far_ahead"
    private static let farAheadMessage: StaticString = """
        the clock is more than a day ahead of this store: the time goes on from the store's, and \
        sessions wait, until it is set right, or accepted with `postern clock accept`
        """

    private let held: Atomic<Bool>
    /// Taken to let go, so that the time is set once.
    private let letGo = Mutex(())
    private let isBehind: Atomic<Bool>
    /// When it was made.
    private let since: Timestamp
    private let time: any Time
    private let logger: Logger

    /// Sets `time`, before anything is stamped.
    /// - Parameter start: how the store's mark and the machine's clock stood at the start.
    package init(_ start: ClockStart, time: any Time, logger: Logger) {
        self.time = time
        self.logger = logger
        var (isHeld, isBehind) = (false, false)
        switch start {
        case .agrees: break
        case .counted(let moment): time.goOn(from: moment)
        case .behind(let mark):
            isBehind = true
            time.goOn(from: mark)
        case .farAhead(let mark):
            isHeld = true
            time.goOn(from: mark)
        }
        held = Atomic(isHeld)
        since = time.now()
        self.isBehind = Atomic(isBehind)
        tell(start)
    }

    /// Whether calls that rest on the time must wait. Looks at the machine's clock, and lets go
    /// when that has come back or a time server has set it.
    package var isHeld: Bool {
        guard held.load(ordering: .relaxed) else { return false }
        let isAhead = time.wallClock() - time.now() > ClockStart.aheadMax
        if isAhead, !time.isWallClockSynchronised { return true }
        letGo.withLock { _ in
            if held.load(ordering: .relaxed) { takeClock() }
        }
        return false
    }

    /// Whether the time is not the machine's clock's, but goes on from a mark before this boot: a
    /// next start must look at the clock again (`StoredMoment`).
    package var isInDoubt: Bool {
        isBehind.load(ordering: .relaxed) || held.load(ordering: .relaxed)
    }

    /// - Throws: `rpc/unavailable` while held.
    package func requireAnswering() throws(ServiceError) {
        guard isHeld else { return }
        throw ServiceError(
            .unavailable, fields: ["clock"], detail: "the clock waits for the operator's word")
    }

    /// What health says of the clock; nil while nothing waits for it.
    package var trouble: PartTrouble? {
        isHeld ? PartTrouble(since: since, detail: "waits for `postern clock accept`") : nil
    }

    /// Takes the machine's clock for right: by the operator's word.
    /// - Returns: whether that ended the wait or moved the time on; false where the two clocks
    ///   agree, and where the machine's is behind.
    package func accept() -> Bool {
        letGo.withLock { _ in
            let isAhead = time.wallClock() - time.now() > ClockDrift.gapMax
            guard isAhead || held.load(ordering: .relaxed) else { return false }
            takeClock()
            return true
        }
    }

    /// Never back: what has been stamped meanwhile is not in the future.
    private func takeClock() {
        let (now, wall) = (time.now(), time.wallClock())
        time.goOn(from: max(now, wall))
        held.store(false, ordering: .relaxed)
        if wall >= now { isBehind.store(false, ordering: .relaxed) }
        logger.warning("clock.accepted", "the operator accepted the clock", fields: [:])
    }

    private func tell(_ start: ClockStart) {
        let ahead = time.wallClock() - time.now()
        switch start {
        case .agrees: break
        case .counted:
            // Differences that a clock which is kept in time can have are not worth a line.
            guard ahead > ClockDrift.gapMax || ahead < .zero - ClockDrift.gapMax else { break }
            logger.error(
                "clock.stepped",
                "the machine's clock was stepped after boot; this program continues from the store's time",
                fields: [.milliseconds: .integer(ahead.milliseconds)])
        case .behind:
            logger.error(
                "clock.behind",
                "the machine's clock is behind this store's; this program continues from the store's time",
                fields: [.milliseconds: .integer((.zero - ahead).milliseconds)])
        case .farAhead:
            logger.error(
                "clock.far_ahead", Self.farAheadMessage,
                fields: [.milliseconds: .integer(ahead.milliseconds)])
        }
    }
}
