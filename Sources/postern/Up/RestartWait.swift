/// The backoff before `postern up` restarts a program that has ended. Pure:
///
///     it ended                                     backoff
///     5 s after its start or later                 none
///     sooner, after it was ready, or killed        100 ms, doubled at each such end, up to 500 ms
///     sooner, by itself and before it was ready    100 ms, doubled at each such end, up to 5 s
///
/// A program that was ready before is ready again within 2 s, however often it is killed. A program
/// that cannot start (a port in use, a key that cannot be read) is retried at growing intervals.
struct RestartWait: Hashable {
    /// A program that ends this many seconds after its start or later restarts without a delay.
    static let quick = 5.0
    private static let first = 0.1
    private static let mostOfReady = 0.5
    private static let mostOfUnready = 5.0
    /// Number of doublings after which every bound is reached.
    private static let doublingsMax = 6

    /// Consecutive ends within `quick` seconds of the start.
    private(set) var quickEnds = 0
    /// The current delay in seconds.
    private(set) var wait = 0.0

    /// Records that the program has ended.
    /// - Parameter life: seconds since its start.
    mutating func recordEnd(life: Double, wasReady: Bool, wasKilled: Bool) {
        quickEnds = life < Self.quick ? quickEnds + 1 : 0
        let most = wasReady || wasKilled ? Self.mostOfReady : Self.mostOfUnready
        wait = quickEnds == 0 ? 0 : min(most, doubled)
    }

    /// Records that the program could not be started.
    mutating func recordFailedStart() { wait = Self.mostOfUnready }

    private var doubled: Double {
        Self.first * Double(1 << min(quickEnds - 1, Self.doublingsMax))
    }
}
