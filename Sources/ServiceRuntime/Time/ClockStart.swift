/// How the machine's clock at a start stands to the latest moment that the store knows, its
/// high-water mark (Sources/SECURITY.md, Clock). Pure:
///
///     boot          clock                        it is      time goes on from
///     ─             no mark yet                  agrees     the clock
///     the mark's    whatever it shows            counted    the mark and the time counted since
///     another       before the mark              behind     the mark: nothing expired revives
///     another       up to a day after the mark   agrees     the clock
///     another       more than a day after it     farAhead   the mark, until somebody vouches
///
/// Within one boot the machine has counted what passed since the mark, whatever was done to its
/// clock meanwhile: a service that is killed after a step agrees with those that ran through it.
/// The last three rows hold, with what was counted added to the mark, also within a boot
/// - where the mark was written by a program whose own time was in doubt,
/// - where the operator accepts the clock.
///
/// A clock that is vouched for is never far ahead: a machine that was off for two days and has set
/// its clock by a time server needs no operator.
package enum ClockStart: Hashable, Sendable {
    /// The clock can be taken as it is.
    case agrees
    /// The machine has not been off since the mark, and it is now this moment.
    case counted(Timestamp)
    /// The clock shows a moment that is over.
    case behind(mark: Timestamp)
    /// The clock is wrong, or the program was off for long: nobody here can tell.
    case farAhead(mark: Timestamp)

    /// A program that was off for a night, and a clock wrong by hours, end no more sessions than
    /// time itself does within a day.
    package static let aheadMax: Duration = .seconds(86_400)

    /// How `clock` stands to `mark`.
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

/// What a machine shows and says of its clocks at a start.
package struct MachineClock: Hashable, Sendable {
    /// The wall clock.
    package var wall: Timestamp
    /// Since the machine started.
    package var uptime: Duration
    /// Which of its boots this is; nil when it does not say.
    package var boot: String?
    /// Whether a time server has set the wall clock in this boot.
    package var isSynchronised: Bool
    /// Whether the operator says that the wall clock is right.
    package var isAccepted: Bool

    /// What `time` shows before anything has moved it.
    package init(_ time: any Time, isAccepted: Bool) {
        wall = time.wallClock()
        uptime = time.uptime()
        boot = time.boot
        isSynchronised = time.isWallClockSynchronised
        self.isAccepted = isAccepted
    }
}

/// A moment that has been, as a store keeps it.
package struct StoredMoment: Hashable, Sendable {
    /// The moment.
    package var at: Timestamp
    /// The boot it was in, and the machine's uptime then; nil where nobody wrote that down.
    package var boot: Boot?
    /// Whether the program that wrote it did not take its time from the machine's clock, but went
    /// on from an earlier mark.
    package var isInDoubt: Bool

    /// A place on a machine's other clock, the one that cannot be stepped.
    package struct Boot: Hashable, Sendable {
        /// Which boot.
        package var id: String
        /// How long it had lasted.
        package var uptime: Duration

        /// `uptime` after the boot `id`.
        package init(id: String, uptime: Duration) {
            self.id = id
            self.uptime = uptime
        }
    }

    /// A moment, and where it was on the machine's other clock.
    package init(at moment: Timestamp, boot: Boot?, isInDoubt: Bool) {
        at = moment
        self.boot = boot
        self.isInDoubt = isInDoubt
    }

    /// What it is now by what `clock` has counted since; nil after another boot.
    func counted(by clock: MachineClock) -> Timestamp? {
        guard let boot, boot.id == clock.boot, clock.uptime >= boot.uptime else { return nil }
        return at + (clock.uptime - boot.uptime)
    }
}
