/// Compares the machine's clock at a start with the latest moment that the store knows, its
/// high-water mark (Sources/SECURITY.md, Clock). Pure:
///
///     boot          clock                        result     time continues from
///     ─             no mark yet                  agrees     the clock
///     the mark's    any                          counted    the mark plus the uptime since then
///     another       before the mark              behind     the mark: nothing expired revives
///     another       up to a day after the mark   agrees     the clock
///     another       more than a day after it     farAhead   the mark, until the clock is accepted
///
/// Within one boot, the uptime gives the time since the mark, regardless of steps of the wall
/// clock. So a service that is killed and restarted after a step agrees with those that kept
/// running. The last three rows also apply within a boot, with the uptime since then added to the
/// mark,
/// - where the mark was written by a program whose own time was in doubt,
/// - where the operator accepts the clock.
///
/// A clock that a time server has set or the operator accepts is never far ahead: a machine that
/// was off for two days and has synchronised its clock needs no operator.
package enum ClockStart: Hashable, Sendable {
    /// The machine's clock can be used as it is.
    case agrees
    /// The machine has not rebooted since the mark; this is the current time.
    case counted(Timestamp)
    /// The clock shows a moment before the mark.
    case behind(mark: Timestamp)
    /// The clock is wrong, or the program was off for long. The program cannot tell which.
    case farAhead(mark: Timestamp)

    /// The longest gap that is accepted. A program that was off for a night, or a clock wrong by
    /// hours, ends no more sessions than a day does.
    package static let aheadMax: Duration = .seconds(86_400)

    /// The relation of `clock` to `mark`.
    package static func of(_ clock: MachineClock, mark: StoredMoment?) -> ClockStart {
        guard let mark else { return .agrees }
        let counted = mark.counted(by: clock)
        if let counted, !mark.isInDoubt, !clock.isAccepted { return .counted(counted) }
        let latest = counted ?? mark.at
        if clock.wall < latest { return .behind(mark: latest) }
        if clock.isAccepted || clock.isSynchronised { return .agrees }
        return clock.wall - latest > aheadMax ? .farAhead(mark: latest) : .agrees
    }
}

/// The machine's clocks at a start.
package struct MachineClock: Hashable, Sendable {
    /// The wall clock.
    package var wall: Timestamp
    /// Time since the machine started.
    package var uptime: Duration
    /// The id of the current boot. Nil where it is unknown.
    package var boot: String?
    /// Whether a time server has set the wall clock in this boot.
    package var isSynchronised: Bool
    /// Whether the operator accepts the wall clock as correct.
    package var isAccepted: Bool

    /// Reads `time` before anything has moved it.
    package init(_ time: any Time, isAccepted: Bool) {
        wall = time.wallClock()
        uptime = time.uptime()
        boot = time.boot
        isSynchronised = time.isWallClockSynchronised
        self.isAccepted = isAccepted
    }
}

/// A past moment, as a store keeps it.
package struct StoredMoment: Hashable, Sendable {
    /// The moment.
    package var at: Timestamp
    /// The boot of that moment, and the machine's uptime then. Nil where they were not stored.
    package var boot: Boot?
    /// Whether the program that wrote it did not follow the machine's clock, but continued from an
    /// earlier mark.
    package var isInDoubt: Bool

    /// A reading of the boot clock, which cannot be stepped.
    package struct Boot: Hashable, Sendable {
        /// The id of the boot.
        package var id: String
        /// The uptime within that boot.
        package var uptime: Duration

        /// The reading `uptime` within the boot `id`.
        package init(id: String, uptime: Duration) {
            self.id = id
            self.uptime = uptime
        }
    }

    /// A moment with the reading of the boot clock at that moment.
    package init(at moment: Timestamp, boot: Boot?, isInDoubt: Bool) {
        at = moment
        self.boot = boot
        self.isInDoubt = isInDoubt
    }

    /// The current time: the moment plus the uptime since then. Nil after a reboot.
    func counted(by clock: MachineClock) -> Timestamp? {
        guard let boot, boot.id == clock.boot, clock.uptime >= boot.uptime else { return nil }
        return at + (clock.uptime - boot.uptime)
    }
}
