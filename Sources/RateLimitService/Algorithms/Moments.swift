/// Up to 64 moments, oldest first, as 32-bit milliseconds after the first: what a state keeps of
/// the past, in the form that it has in memory and on disk.
///
/// Moments more than 49 days apart do not fit; the older ones are then moved up. A charge that
/// counts longer than it has to errs on the strict side, and no rule looks back that far.
struct Moments: Sendable {
    /// The first moment, in milliseconds since 1970; of no meaning while empty.
    var base: Int64 = 0
    /// How many.
    var count = 0
    /// Milliseconds from `base`; the first is 0.
    var offsets = InlineArray<64, UInt32>(repeating: 0)

    var isEmpty: Bool { count == 0 }

    /// The newest.
    var last: Int64? { isEmpty ? nil : self[count - 1] }

    subscript(place: Int) -> Int64 { base &+ Int64(offsets[place]) }

    /// Whether a moment is there.
    func contains(_ moment: Int64) -> Bool { (0..<count).contains { self[$0] == moment } }

    /// Keeps a moment in its place; when 64 are there the oldest leaves.
    mutating func insert(_ moment: Int64) {
        if count == LimitRule.momentsMax { dropFirst(1) }
        guard !isEmpty else {
            base = moment
            offsets[0] = 0
            count = 1
            return
        }
        fit(moment)
        var place = count
        while place > 0, self[place - 1] > moment {
            offsets[place] = offsets[place - 1]
            place -= 1
        }
        offsets[place] = UInt32(clamping: moment - base)
        count += 1
    }

    /// Takes one moment out, if it is there.
    @discardableResult
    mutating func remove(_ moment: Int64) -> Bool {
        guard let place = (0..<count).first(where: { self[$0] == moment }) else { return false }
        if place == 0 {
            dropFirst(1)
            return true
        }
        for next in place + 1..<max(place + 1, count) { offsets[next - 1] = offsets[next] }
        count -= 1
        return true
    }

    /// Forgets the oldest `number`.
    mutating func dropFirst(_ number: Int) {
        guard number > 0 else { return }
        guard number < count else { return count = 0 }
        let start = offsets[number]
        for place in number..<count { offsets[place - number] = offsets[place] - start }
        base += Int64(start)
        count -= number
    }

    /// Moves `base` so that `moment` has a place.
    private mutating func fit(_ moment: Int64) {
        let newest = max(moment, self[count - 1])
        let start = max(min(moment, base), newest - Int64(UInt32.max))
        guard start != base else { return }
        for place in 0..<count { offsets[place] = UInt32(clamping: self[place] - start) }
        base = start
    }
}

extension Moments: Equatable {
    static func == (left: Moments, right: Moments) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }
}
