/// A distribution of durations: cumulative counts by upper bound, as in a histogram's buckets.
struct Spread: Equatable {
    /// Rising bounds in seconds, the last infinite, each with the number of durations not above it.
    private(set) var buckets: [(bound: Double, count: Double)] = []

    static func == (left: Spread, right: Spread) -> Bool {
        left.buckets.elementsEqual(right.buckets) { $0 == $1 }
    }

    /// Adds to one bucket's count.
    mutating func add(_ bound: Double, _ count: Double) {
        if let index = buckets.firstIndex(where: { $0.bound >= bound }) {
            if buckets[index].bound == bound {
                buckets[index].count += count
            } else {
                buckets.insert((bound, count), at: index)
            }
        } else {
            buckets.append((bound, count))
        }
    }

    /// The increase since `before`. A program that was restarted has counted from zero.
    func since(_ before: Spread) -> Spread {
        guard before.buckets.map(\.bound) == buckets.map(\.bound),
            zip(buckets, before.buckets).allSatisfy({ $0.count >= $1.count })
        else { return self }
        var spread = Spread()
        spread.buckets = zip(buckets, before.buckets).map { ($0.bound, $0.count - $1.count) }
        return spread
    }

    /// A quantile, as exactly as the buckets allow.
    enum Quantile: Equatable {
        /// About this many seconds.
        case about(Double)
        /// Below the lowest bound.
        case below(Double)
        /// Above the highest bound.
        case above(Double)
    }

    /// The duration that `part` (0 … 1) of them did not exceed, with linear interpolation within a
    /// bucket; nil if there are none.
    func quantile(_ part: Double) -> Quantile? {
        guard let total = buckets.last?.count, total > 0 else { return nil }
        let rank = part * total
        guard let index = buckets.firstIndex(where: { $0.count >= rank }) else { return nil }
        let bucket = buckets[index]
        guard index > 0 else { return .below(bucket.bound) }
        let lower = buckets[index - 1]
        guard bucket.bound.isFinite else { return .above(lower.bound) }
        let within = (rank - lower.count) / max(1e-9, bucket.count - lower.count)
        return .about(lower.bound + (bucket.bound - lower.bound) * within)
    }
}
