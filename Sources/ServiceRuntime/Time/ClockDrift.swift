/// Tells when the machine's clock and ours part (Sources/SECURITY.md, Clock): ours ignores steps
/// while the program runs, so a step shows as a gap between the two. Pure:
///
///     gap, either way     before     is told
///     a minute or less    together   nothing
///     more than that      together   parted
///     more than that      parted     nothing more
///     a minute or less    parted     together again
package struct ClockDrift: Sendable {
    /// What there is to tell.
    package enum News: Hashable, Sendable {
        /// The machine's clock is this far ahead; negative when it is behind.
        case parted(Duration)
        /// The two agree again.
        case together
    }

    /// Clocks that are kept in time differ by milliseconds.
    package static let gapMax: Duration = .seconds(60)

    private var isParted = false

    /// Two clocks that agree.
    package init() {}

    /// Takes in how far ahead of ours the machine's clock is.
    package mutating func note(ahead: Duration) -> News? {
        let parts = ahead > Self.gapMax || ahead < .zero - Self.gapMax
        guard parts != isParted else { return nil }
        isParted = parts
        return parts ? .parted(ahead) : .together
    }
}
