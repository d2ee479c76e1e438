/// How long a service that has ended waits before `postern up` starts it again. Pure:
///
///     it ended                                     wait
///     5 s after its start or later                 none
///     sooner, and was ready, or was killed         100 ms, doubled at each such end, 500 ms at most
///     sooner, by itself and before it was ready    100 ms, doubled at each such end, 5 s at most
///
/// What was ready before is ready again within 2 s, however often it is killed. What does not start
/// (a port that is taken, a key that does not open) is tried at longer and longer intervals.
struct RestartWait: Hashable {
    /// Seconds after its start from which an end counts as the first.
    static let quick = 5.0
    private static let first = 0.1
    private static let mostOfReady = 0.5
    private static let mostOfUnready = 5.0
    /// Doublings after which every bound is reached.
    private static let doublingsMax = 6

    /// Consecutive ends within `quick` seconds of the start.
    private(set) var quickEnds = 0
    /// In seconds.
    private(set) var wait = 0.0

    /// It has ended.
    /// - Parameter life: seconds since its start.
    mutating func noteEnd(life: Double, wasReady: Bool, wasKilled: Bool) {
        quickEnds = life < Self.quick ? quickEnds + 1 : 0
        let most = wasReady || wasKilled ? Self.mostOfReady : Self.mostOfUnready
        wait = quickEnds == 0 ? 0 : min(most, doubled)
    }

    /// It could not even be started.
    mutating func noteFailedStart() { wait = Self.mostOfUnready }

    private var doubled: Double {
        Self.first * Double(1 << min(quickEnds - 1, Self.doublingsMax))
    }
}
