import Messages
import ServiceRuntime

/// The state of a service's clock as text.
struct ClockState: Hashable, Sendable {
    /// It waits for confirmation.
    let isWaiting: Bool
    /// How far the machine's clock is ahead of the service's; negative if it is behind.
    let ahead: Duration

    init(_ answer: ClockV1.CheckResponse) {
        isWaiting = answer.waiting
        ahead = .milliseconds(answer.wallMs) - .milliseconds(answer.nowMs)
    }

    /// Whether the service's time differs from the machine's clock.
    var isApart: Bool { isWaiting || ClockWatch.isStep(ahead) }

    /// The text of a line, after the service's name.
    var text: String {
        let far = Self.distance(ahead)
        if isWaiting { return "waits: the machine's clock is \(far) ahead of where it stopped" }
        guard isApart else { return "agrees with the machine's clock" }
        return "goes by its own time: the machine's clock is \(far) "
            + (ahead > .zero ? "ahead; if that is right: postern clock accept" : "behind")
    }

    /// The text of a line about the operator's confirmation.
    /// - Parameter after: the service's state after it.
    func text(afterAccepting after: ClockState) -> String {
        guard isApart else { return after.text }
        guard after.isApart else { return "accepted: its time went on by \(Self.distance(ahead))" }
        let far = Self.distance(after.ahead)
        return after.ahead < .zero
            ? "not accepted: the machine's clock is \(far) behind, and time never goes back"
            : "not accepted: the machine's clock is still \(far) ahead"
    }

    /// A time span without its sign: `12 d 3 h`, `5 h 10 min`, `2 min`.
    static func distance(_ span: Duration) -> String {
        let minutes = abs(span.milliseconds / 60_000)
        let (days, hours) = (minutes / 1_440, minutes / 60 % 24)
        if days > 0 { return hours > 0 ? "\(days) d \(hours) h" : "\(days) d" }
        if hours > 0 { return minutes % 60 > 0 ? "\(hours) h \(minutes % 60) min" : "\(hours) h" }
        return "\(minutes) min"
    }
}
