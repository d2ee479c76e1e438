import Contracts

/// How the capacity of a table is divided among its limits, and how finely subjects without a state
/// of their own are counted.
///
///     the limit's class has    a new subject is counted
///     capacity                 in a state of its own
///     none                     in a shared bucket: with all subjects of the limit whose hash has
///                              the same first bits
///
/// Attack: invented subjects fill the table. They can fill only their class, where new subjects
/// then share buckets. A user is affected by an attacker only if the attacker has charged the
/// user's bucket up to the limit. Shared buckets have memory of their own, which is bounded by
/// their number.
struct TableLayout: Sendable {
    /// The largest number of classes in a table.
    static let classesMax = 3
    /// Limits' numbers are smaller; larger ones are in class 0.
    static let limitsMax = 128

    /// Each limit's class, by its number.
    let classes: [UInt8]
    /// The number of hash bits that select a limit's bucket, by its number.
    let bucketBits: [UInt8]
    /// Per cent of the capacity, by class.
    let shares: [Int]

    /// One class for all limits, and one bucket a shard for each limit.
    static let single = TableLayout(classes: [], bucketBits: [], shares: [100])

    /// - Precondition: 1 to 3 classes.
    init(classes: [UInt8], bucketBits: [UInt8], shares: [Int]) {
        precondition(shares.count <= Self.classesMax && !shares.isEmpty, "a share for each class")
        self.classes = classes.prefix(Self.limitsMax).map { Int($0) < shares.count ? $0 : 0 }
        self.bucketBits = Array(bucketBits.prefix(Self.limitsMax))
        self.shares = shares
    }

    /// The layout of the table of marks: half for the sites, which are in the class `address`, half
    /// for the known devices in `account`. Without capacity there is no mark, so one bucket a shard
    /// is enough.
    static let marks: TableLayout = {
        let standard = TableLayout { _ in 0 }
        return TableLayout(classes: standard.classes, bucketBits: [], shares: [50, 50, 0])
    }()

    /// The largest number of shared buckets.
    var bucketsMax: Int { bucketBits.reduce(0) { $0 + ($1 == 0 ? 0 : 1 << Int($1)) } }
}

extension TableLayout {
    /// The layout of the service's limits.
    /// - Parameter share: per cent of the capacity for each `CapacityClass`.
    init(of share: (CapacityClass) -> Int) {
        var classes = [UInt8](repeating: 0, count: Self.limitsMax)
        var bucketBits = classes
        for limit in LimitName.allCases {
            classes[Int(limit.number)] = UInt8(limit.definition.capacity.rawValue)
            bucketBits[Int(limit.number)] = UInt8(limit.definition.bucketBits)
        }
        self.init(
            classes: classes, bucketBits: bucketBits, shares: CapacityClass.allCases.map(share))
    }
}
