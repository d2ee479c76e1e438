/// The stripes of a batch, each once and in ascending order. Two batches that share stripes lock
/// them in the same order, so they cannot deadlock.
struct StripeLocks {
    private(set) var count = 0
    private var places = InlineArray<20, Int>(repeating: 0)

    /// Adds a stripe, unless it was added before.
    mutating func add(_ stripe: Int) {
        var place = count
        while place > 0, places[place - 1] >= stripe {
            if places[place - 1] == stripe { return }
            place -= 1
        }
        var last = count
        while last > place {
            places[last] = places[last - 1]
            last -= 1
        }
        places[place] = stripe
        count += 1
    }

    subscript(place: Int) -> Int { places[place] }
}
