/// How the room of a table is divided among its limits, and how finely those are counted that find
/// none.
///
///     the limit's class has    a new subject is counted
///     room                     by itself
///     none                     in a cell: with all subjects of the limit whose hash begins with the
///                              same bits
///
/// Attack: invented subjects fill the table. What they fill is their class; there new subjects share
/// cells, so that a person meets an attacker only where he has hit the person's cell as often as the
/// limit allows. Cells have memory of their own, which is bounded by their number.
struct TableLayout: Sendable {
    /// Classes that a table can have.
    static let classesMax = 3
    /// Numbers of limits are smaller; larger ones are of class 0.
    static let limitsMax = 64

    /// Each limit's class, by its number.
    let classes: [UInt8]
    /// Bits of the hash that tell a limit's cells apart, by its number.
    let cellBits: [UInt8]
    /// Per cent of the room, by class.
    let shares: [Int]

    /// One class for all limits, and for each limit one cell a stripe.
    static let single = TableLayout(classes: [], cellBits: [], shares: [100])

    /// - Precondition: at most 3 classes.
    init(classes: [UInt8], cellBits: [UInt8], shares: [Int]) {
        precondition(shares.count <= Self.classesMax && !shares.isEmpty, "a share for each class")
        self.classes = classes.prefix(Self.limitsMax).map { Int($0) < shares.count ? $0 : 0 }
        self.cellBits = Array(cellBits.prefix(Self.limitsMax))
        self.shares = shares
    }

    /// Cells that there can be at most.
    var cellsMax: Int { cellBits.reduce(0) { $0 + ($1 == 0 ? 0 : 1 << Int($1)) } }
}

extension TableLayout {
    /// The layout of the limits.
    /// - Parameter share: of a room, in per cent.
    init(of share: (LimitRoom) -> Int) {
        var classes = [UInt8](repeating: 0, count: Self.limitsMax)
        var cellBits = classes
        for limit in LimitName.allCases {
            classes[Int(limit.number)] = UInt8(limit.room.rawValue)
            cellBits[Int(limit.number)] = UInt8(limit.cellBits)
        }
        self.init(
            classes: classes, cellBits: cellBits, shares: LimitRoom.allCases.map(share))
    }
}
