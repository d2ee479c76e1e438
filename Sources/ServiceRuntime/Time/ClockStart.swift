/// How the machine's clock at a start stands to the latest moment that the store knows, its
/// high-water mark (security.md, Clock). Pure:
///
///     clock                            it is      time goes on from
///     no mark yet                      agrees     the clock
///     before the mark                  behind     the mark: nothing that expired revives
///     up to a day after the mark       agrees     the clock
///     more than a day after the mark   farAhead   whoever ends things by time decides
package enum ClockStart: Hashable, Sendable {
    /// The clock can be taken as it is.
    case agrees
    /// The clock shows a moment that is over.
    case behind(mark: Timestamp)
    /// The clock is wrong, or the program was off for long: nobody here can tell.
    case farAhead(mark: Timestamp)

    /// A program that was off for a night, and a clock wrong by hours, end no more sessions than
    /// time itself does within a day.
    package static let aheadMax: Duration = .seconds(86_400)

    /// How `wall` stands to `mark`.
    package static func of(wall: Timestamp, mark: Timestamp?) -> ClockStart {
        guard let mark else { return .agrees }
        if wall < mark { return .behind(mark: mark) }
        return wall - mark > aheadMax ? .farAhead(mark: mark) : .agrees
    }
}
