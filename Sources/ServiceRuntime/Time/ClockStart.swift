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
    static let aheadMax: Duration = .seconds(86_400)

    /// The relation of `clock` to `mark`.
    /// - Parameter isAccepted: whether the operator accepts the wall clock as correct.
    static func of(
        _ clock: MachineClock, isAccepted: Bool = false, mark: StoredMoment?
    ) -> ClockStart {
        guard let mark else { return .agrees }
        let counted = mark.counted(by: clock)
        if let counted, !mark.isInDoubt, !isAccepted { return .counted(counted) }
        let latest = counted ?? mark.at
        if clock.wall < latest { return .behind(mark: latest) }
        if isAccepted || clock.isSynchronised { return .agrees }
        return clock.wall - latest > aheadMax ? .farAhead(mark: latest) : .agrees
    }
}

/// The machine's clocks at a start.
struct MachineClock: Hashable, Sendable {
    /// The wall clock.
    var wall: Timestamp
    /// Time since the machine started.
    var uptime: Duration
    /// The id of the current boot. Nil where it is unknown.
    var boot: String?
    /// Whether a time server has set the wall clock in this boot.
    var isSynchronised: Bool
}

/// A past moment, as a store keeps it.
package struct StoredMoment: Hashable, Sendable {
    /// The moment.
    package var at: Timestamp
    /// The id of that moment's boot. Nil where it was not stored.
    package var boot: String?
    /// The machine's uptime at that moment: a reading of the boot clock, which cannot be stepped.
    package var uptime: Duration
    /// Whether the program that wrote it did not follow the machine's clock, but continued from an
    /// earlier mark.
    package var isInDoubt: Bool

    /// A moment with the reading of the boot clock at that moment.
    package init(at moment: Timestamp, boot: String?, uptime: Duration, isInDoubt: Bool) {
        (at, self.boot, self.uptime, self.isInDoubt) = (moment, boot, uptime, isInDoubt)
    }

    /// The current time: the moment plus the uptime since then. Nil after a reboot.
    fileprivate func counted(by clock: MachineClock) -> Timestamp? {
        guard let boot, boot == clock.boot, clock.uptime >= uptime else { return nil }
        return at + (clock.uptime - uptime)
    }
}
