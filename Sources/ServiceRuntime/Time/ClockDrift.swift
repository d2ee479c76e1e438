/// Detects steps of the machine's clock (Sources/SECURITY.md, Clock). The program's own time
/// ignores steps while it runs, so a step appears as a gap between the two. Pure:
///
///     gap, in either direction   before     returned
///     a minute or less           together   nil
///     more than a minute         together   parted
///     more than a minute         parted     nil
///     a minute or less           parted     together
package struct ClockDrift: Sendable {
    /// A change to report.
    package enum News: Hashable, Sendable {
        /// The machine's clock is this far ahead; negative when it is behind.
        case parted(Duration)
        /// The two clocks agree again.
        case together
    }

    /// The largest gap that counts as agreement. Synchronised clocks differ by milliseconds.
    package static let gapMax: Duration = .seconds(60)

    private var isParted = false

    /// Two clocks that agree.
    package init() {}

    /// Records how far the machine's clock is ahead of the program's time.
    package mutating func note(ahead: Duration) -> News? {
        let parts = ahead > Self.gapMax || ahead < .zero - Self.gapMax
        guard parts != isParted else { return nil }
        isParted = parts
        return parts ? .parted(ahead) : .together
    }
}
