import ServiceRuntime

/// The histogram buckets for durations of calls. They are fixed, so that the histograms of several
/// processes can be added.
enum CallBuckets {
    /// Number of buckets with an upper bound; one more counts longer durations.
    static let count = 16

    /// Upper bounds in seconds, from 0.1 ms to the default deadline.
    static let seconds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
        0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private static let nanoseconds: [UInt64] = seconds.map { UInt64(($0 * 1e9).rounded()) }

    /// The bucket of a duration in nanoseconds: the first whose upper bound is not less.
    static func bucket(of duration: UInt64) -> Int {
        if duration <= 100_000 { return 0 }  // the usual case
        return nanoseconds.firstIndex { $0 >= duration } ?? count
    }
}
