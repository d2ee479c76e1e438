package import Logging
import Synchronization

/// Sets a program's time at its start, and makes calls wait while the machine's clock may be far
/// ahead (Sources/SECURITY.md, Clock).
///
/// A start more than a day after the store's last mark means that the machine was off for long, or
/// that its clock is wrong. The program cannot tell which. If the clock is wrong, every session
/// would exceed its idle timeout at once, and a mark written from it would move the time forward
/// even after the clock is corrected. So every service continues from the mark and writes no moment
/// that may be wrong. The session service, which ends sessions by time, rejects all calls that
/// depend on the time:
///
///     agrees ──────────────────────────────────────────────▶ answering, machine's clock
///     counted, behind ─────────────────────────────────────▶ answering, store's time
///     far ahead ──▶ held ── the operator accepts ───────────▶ answering, machine's clock
///                     ├──── a time server sets the clock ───▶ answering, machine's clock
///                     └──── the machine's clock goes back ──▶ answering, machine's clock
///
/// The operator can also accept a step that came later: while the program ran, or before its start
/// within one boot. Such a step is accepted only forwards, since no stamped moment may be in the
/// future (B15).
package final class ClockHold: Sendable {
    /// The log event of a start that waits. `postern up` searches for it and informs the operator.
    package static let farAheadEvent = "clock.far_ahead"

    /// The relation of the machine's clock to the store's mark at the start.
    package let start: ClockStart
    private let held: Atomic<Bool>
    private let inDoubt: Atomic<Bool>
    /// When the two clocks were first seen apart; nil while they agree.
    private let apartSince = Mutex<Timestamp?>(nil)
    /// Locked while the time is set, so that it is set only once.
    private let acceptance = Mutex(())
    /// When the program started.
    private let since: Timestamp
    private let time: any Time
    private let logger: Logger

    /// Sets `time`, before anything is stamped.
    /// - Parameters:
    ///   - mark: the store's mark; nil before its first commit.
    ///   - isAccepted: whether the operator accepts the machine's clock as correct.
    package init(mark: StoredMoment?, isAccepted: Bool, time: any Time, logger: Logger) {
        let clock = MachineClock(
            wall: time.wallClock(), uptime: time.uptime(), boot: time.boot,
            isSynchronised: time.isWallClockSynchronised)
        start = ClockStart.of(clock, isAccepted: isAccepted, mark: mark)
        let (isHeld, isInDoubt, moment): (Bool, Bool, Timestamp?) =
            switch start {
            case .agrees: (false, false, nil)
            case .counted(let now): (false, false, now)
            case .behind(let mark): (false, true, mark)
            case .farAhead(let mark): (true, true, mark)
            }
        if let moment { time.goOn(from: moment) }
        held = Atomic(isHeld)
        inDoubt = Atomic(isInDoubt)
        since = time.now()
        self.time = time
        self.logger = logger
        logStart()
    }

    /// Whether calls that depend on the time must wait. Reads the machine's clock, and ends the
    /// hold when that clock has gone back or a time server has set it.
    package var isHeld: Bool {
        guard held.load(ordering: .relaxed) else { return false }
        let isAhead = time.wallClock() - time.now() > ClockStart.aheadMax
        if isAhead, !time.isWallClockSynchronised { return true }
        _ = takeClock { _ in false }
        return false
    }

    /// Whether the time continues from a mark before this boot instead of following the machine's
    /// clock. Then the next start must check the clock again (`StoredMoment`).
    package var isInDoubt: Bool { inDoubt.load(ordering: .relaxed) }

    /// Rejects a call while the clock is held.
    /// - Throws: `rpc/unavailable` while held.
    package func requireAnswering() throws(ServiceError) {
        guard isHeld else { return }
        throw ServiceError(
            .unavailable, unavailablePart: "clock", detail: "the clock waits to be accepted")
    }

    /// The failure that health checks report for the clock. Nil while it agrees with the machine's.
    ///
    /// One that differs without a hold fails too: calls are served, but tokens carry the program's
    /// time, and verifiers that go by the real time may reject all of them.
    package var failure: PartCondition.Failure? {
        if isHeld {
            return PartCondition.Failure(since: since, detail: "waits for `postern clock accept`")
        }
        let now = time.now()
        let ahead = time.wallClock() - now
        let seen = apartSince.withLock { seen in
            seen = ClockWatch.isStep(ahead) ? seen ?? now : nil
            return seen
        }
        // Without the distance: each change of a text is sent to all who watch the health.
        return seen.map { seen in
            PartCondition.Failure(
                since: seen,
                detail: ahead > .zero
                    ? "is behind the machine's clock: if that is right, `postern clock accept`"
                    : "is ahead of the machine's clock: set that right")
        }
    }

    /// Accepts the machine's clock as correct, on behalf of the operator.
    /// - Returns: Whether this ended the hold or moved the time forward. False where the two clocks
    ///   agree, and where the machine's clock is behind.
    package func accept() -> Bool { takeClock { ahead in ahead > ClockWatch.gapMax } }

    /// Continues at the machine's clock if it is held, or is as far ahead as `isStep` requires.
    private func takeClock(or isStep: (Duration) -> Bool) -> Bool {
        acceptance.withLock { _ in
            let (now, wall) = (time.now(), time.wallClock())
            guard held.load(ordering: .relaxed) || isStep(wall - now) else { return false }
            // Never back, so that no stamped moment is in the future.
            time.goOn(from: max(now, wall))
            held.store(false, ordering: .relaxed)
            inDoubt.store(false, ordering: .relaxed)
            logger.warning("clock.accepted", "continuing at the machine's clock", fields: [:])
            return true
        }
    }

    private func logStart() {
        let ahead = (time.wallClock() - time.now()).milliseconds
        switch start {
        case .counted where ClockWatch.isStep(.milliseconds(ahead)):
            logger.error(
                "clock.stepped",
                "the machine's clock was stepped after boot; continuing from the store's time",
                fields: [.milliseconds: .integer(ahead)])
        case .agrees, .counted: break
        case .behind:
            logger.error(
                "clock.behind",
                "the machine's clock is behind this store's; continuing from the store's time",
                fields: [.milliseconds: .integer(-ahead)])
        case .farAhead:
            logger.error(
                "clock.far_ahead",
                """
                the clock is more than a day ahead of this store: the time goes on from the \
                store's, and sessions wait, until it is set right, or accepted with \
                `postern clock accept`
                """, fields: [.milliseconds: .integer(ahead)])
        }
    }
}
