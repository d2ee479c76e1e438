/// Moments as a value (`MomentList`).
struct Moments: MomentList, Sendable {
    var base: Int64 = 0
    var count = 0
    private var offsets = InlineArray<64, UInt32>(repeating: 0)

    /// Creates an empty list.
    init() {}

    /// Copies another list.
    init(_ list: borrowing some MomentList) {
        base = list.base
        count = list.count
        for place in 0..<list.count { offsets[place] = list[offset: place] }
    }

    subscript(offset place: Int) -> UInt32 {
        get { offsets[place] }
        set { offsets[place] = newValue }
    }
}

extension Moments: Equatable {
    static func == (left: Moments, right: Moments) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }
}
