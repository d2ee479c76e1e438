import Contracts
import ServiceRuntime

extension LimitWording {
    /// The sentence that a limited user gets (R-01, D0): how long to wait, and for what. It does
    /// not depend on whether an account exists: an email without one gets the same answer (X-02).
    /// - Parameter milliseconds: the wait; nil if only an operator ends it, or for a password only
    ///   a new one.
    func sentence(milliseconds: Int64?, in voice: Voice) -> String {
        guard let milliseconds else {
            return voice.sentence(
                self == .password ? "limit/without-password" : "limit/without-end")
        }
        let kind = self == .password ? .attempt : self
        return voice.sentence("limit/\(kind.rawValue)")
            .replacing("{{wait}}", with: WaitText(milliseconds: milliseconds).text(voice))
    }
}

/// A wait as people write it: seconds below a minute, minutes below two hours, hours below two
/// days, then days. Rounded up, so that a user who waits as long as the sentence says is not
/// refused again.
struct WaitText: Hashable {
    enum Unit {
        case second
        case minute
        case hour
        case day
    }

    let count: Int64
    let unit: Unit

    /// A wait of this many milliseconds; at least a second.
    init(milliseconds: Int64) {
        // Rounded without an addition that a long wait could overflow.
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        switch seconds {
        case ..<60: (count, unit) = (seconds, .second)
        case ..<7_140: (count, unit) = (Self.up(seconds, 60), .minute)
        case ..<169_200: (count, unit) = (Self.up(seconds, 3_600), .hour)
        default: (count, unit) = (Self.up(seconds, 86_400), .day)
        }
    }

    /// The wait as text.
    func text(_ voice: Voice) -> String {
        voice.sentence("wait/\(unit)\(count == 1 ? "" : "s")")
            .replacing("{{count}}", with: "\(count)")
    }

    private static func up(_ seconds: Int64, _ unit: Int64) -> Int64 {
        seconds / unit + (seconds % unit > 0 ? 1 : 0)
    }
}
