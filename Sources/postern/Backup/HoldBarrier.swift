/// The rule by which the snapshots of several services are one state, although no service knows of
/// the others.
///
///     the tool       t0 ── calls all ─────────────────── t1: the last answer has arrived
///     service A          ├── held for `hold` ──────────────┤
///     service B               ├── held for `hold` ──────────────┤
///
/// Each service holds its commits for `hold`, and answers when it has a snapshot. Each hold begins
/// after t0. So if t1 - t0 < `hold`, none had ended at t1, and all services were held at t1: no
/// snapshot has a commit that was caused by one that another snapshot lacks.
///
/// Otherwise the tool tries again with a longer hold. It never releases a hold: a tool that dies
/// must not stop a service, so each hold ends by itself.
enum HoldBarrier {
    /// The holds of the first tries. A person who signs in does not notice the longest.
    private static let holds: [Duration] = [
        .milliseconds(25), .milliseconds(50), .milliseconds(100),
    ]
    /// After so many tries the services or the network between are too slow.
    static let triesMax = 20
    /// The wait before the next try, in which the commits go on that waited.
    static let pause = Duration.milliseconds(250)

    /// How long commits are held in a try.
    /// - Parameter number: from 1 on.
    static func hold(ofTry number: Int) -> Duration {
        holds[min(max(number, 1), holds.count) - 1]
    }

    /// Whether the snapshots are one state.
    /// - Parameters:
    ///   - hold: how long each service holds its commits.
    ///   - began: before the first call was made, on a clock that is not stepped.
    ///   - ended: when the last answer had arrived, on the same clock.
    static func isOneState(hold: Duration, from began: Duration, to ended: Duration) -> Bool {
        ended >= began && ended - began < hold
    }
}
