import Messages
import ServiceRuntime

/// The state of a service's clock as text.
struct ClockState: Hashable, Sendable {
    /// The difference that synchronised clocks may have.
    private static let gapMax = ClockDrift.gapMax

    /// It waits for confirmation.
    let isWaiting: Bool
    /// How far the machine's clock is ahead of the service's; negative if it is behind.
    let ahead: Duration
    /// The effect of the operator's confirmation; nil if none was given.
    private var outcome: Outcome?

    private enum Outcome: Hashable, Sendable {
        case wentOn(by: Duration)
        case refused
    }

    init(_ answer: ClockV1.CheckResponse) {
        isWaiting = answer.waiting
        ahead = .milliseconds(answer.wallMs) - .milliseconds(answer.nowMs)
    }

    /// Whether the service's time differs from the machine's clock.
    var isApart: Bool { isWaiting || ahead > Self.gapMax || ahead < .zero - Self.gapMax }

    /// The state with the effect of the operator's confirmation.
    /// - Parameter after: the service's state after it.
    func accepted(_ after: ClockState) -> ClockState {
        guard isApart else { return after }
        var state = after
        state.outcome = after.isApart ? .refused : .wentOn(by: ahead)
        return state
    }

    /// The text of a line, after the service's name.
    var text: String {
        let far = Self.distance(ahead)
        switch outcome {
        case .wentOn(let span): return "accepted: its time went on by \(Self.distance(span))"
        case .refused where ahead < .zero:
            return "not accepted: the machine's clock is \(far) behind, and time never goes back"
        case .refused: return "not accepted: the machine's clock is still \(far) ahead"
        case nil: break
        }
        if isWaiting { return "waits: the machine's clock is \(far) ahead of where it stopped" }
        if ahead > Self.gapMax {
            return "goes by its own time: the machine's clock is \(far) ahead"
        }
        if ahead < .zero - Self.gapMax {
            return "goes by its own time: the machine's clock is \(far) behind"
        }
        return "agrees with the machine's clock"
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
