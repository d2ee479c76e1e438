import Messages
import ServiceRuntime

/// Where a service's clock stands, in a person's words.
struct ClockState: Hashable, Sendable {
    /// What clocks that are kept in time may differ by.
    private static let gapMax = ClockDrift.gapMax

    /// It waits for a word.
    let isWaiting: Bool
    /// How far the machine's clock is ahead of the service's; negative when it is behind.
    let ahead: Duration
    /// What the operator's word has done; nil where none was given.
    private var outcome: Outcome?

    private enum Outcome: Hashable, Sendable {
        case wentOn(by: Duration)
        case refused
    }

    init(_ answer: ClockV1.CheckResponse) {
        isWaiting = answer.waiting
        ahead = .milliseconds(answer.wallMs) - .milliseconds(answer.nowMs)
    }

    /// Whether it does not go by the machine's clock.
    var isApart: Bool { isWaiting || ahead > Self.gapMax || ahead < .zero - Self.gapMax }

    /// What the operator's word has done to it.
    /// - Parameter after: what the service shows since.
    func accepted(_ after: ClockState) -> ClockState {
        guard isApart else { return after }
        var state = after
        state.outcome = after.isApart ? .refused : .wentOn(by: ahead)
        return state
    }

    /// For a line of its own, behind the service's name.
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

    /// A time span as a person would say it, without its sign: `12 d 3 h`, `5 h 10 min`, `2 min`.
    static func distance(_ span: Duration) -> String {
        let minutes = abs(span.milliseconds / 60_000)
        let (days, hours) = (minutes / 1_440, minutes / 60 % 24)
        if days > 0 { return hours > 0 ? "\(days) d \(hours) h" : "\(days) d" }
        if hours > 0 { return minutes % 60 > 0 ? "\(hours) h \(minutes % 60) min" : "\(hours) h" }
        return "\(minutes) min"
    }
}
