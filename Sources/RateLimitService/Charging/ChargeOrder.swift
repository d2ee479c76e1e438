import ServiceRuntime

/// Charges in the order in which they were made, so that the oldest is found without a search.
struct ChargeOrder: Sendable {
    private var places: [(id: Int64, moment: Timestamp)] = []
    private var start = 0

    var count: Int { places.count - start }

    /// The oldest charge.
    var first: (id: Int64, moment: Timestamp)? { start < places.count ? places[start] : nil }

    mutating func append(_ id: Int64, _ moment: Timestamp) { places.append((id, moment)) }

    /// Drops the oldest. The others are moved up when half of all entries are dropped.
    mutating func dropFirst() {
        guard start < places.count else { return }
        start += 1
        guard start * 2 >= places.count else { return }
        places.removeFirst(start)
        start = 0
    }

    /// Keeps the entries for which `isKept` returns true.
    mutating func keep(_ isKept: (Int64, Timestamp) -> Bool) {
        places = places[start...].filter { isKept($0.id, $0.moment) }
        start = 0
    }
}
