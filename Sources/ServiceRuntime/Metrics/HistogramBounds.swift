/// The upper bounds of a histogram's buckets, in the recorded unit. They are fixed, so that the
/// histograms of several processes can be added up.
struct HistogramBounds: Sendable {
    /// The number of buckets with a bound. One more, without a bound, counts the larger values.
    static let count = 22

    /// The bounds in the recorded unit, ascending.
    let bounds: [Double]
    /// Prometheus gets the recorded number divided by this.
    let scale: Double

    private init(_ bounds: [Double], scale: Double) {
        precondition(bounds.count == Self.count, "HistogramCell has a counter for each bound")
        self.bounds = bounds
        self.scale = scale
    }

    /// For durations: recorded in nanoseconds, exported in seconds, from 1 µs (token validation) to
    /// a minute (a provider that does not answer).
    static let durations = HistogramBounds(
        [
            1e3, 5e3, 10e3, 25e3, 50e3, 100e3, 250e3, 500e3,
            1e6, 2.5e6, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 500e6,
            1e9, 2.5e9, 5e9, 10e9, 60e9,
        ], scale: 1e9)

    /// For counts and bytes: powers of two to 1,024, then powers of four to 1 GiB.
    static let amounts = HistogramBounds(
        [0]
            + (0...10).map { Double(1 << $0) }
            + (1...10).map { Double(1_024 << (2 * $0)) }, scale: 1)

    /// The bucket of `value`: the first whose bound is at least `value`.
    func bucket(of value: Double) -> Int {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
