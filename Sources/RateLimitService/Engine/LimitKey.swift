/// Whom a limit is about, as the table knows it: a keyed hash, never in clear.
package struct LimitKey: Hashable, Sendable {
    /// The limit's number.
    package let limit: UInt16
    /// The hash's first eight bytes; its place in the table hangs on them.
    package let high: UInt64
    /// The hash's other eight bytes.
    package let low: UInt64

    /// A key of the two halves of a hash.
    package init(limit: UInt16, high: UInt64, low: UInt64) {
        self.limit = limit
        self.high = high
        self.low = low
    }
}

extension LimitKey {
    /// The table's order.
    func isBefore(_ key: LimitKey) -> Bool {
        if high != key.high { return high < key.high }
        if low != key.low { return low < key.low }
        return limit < key.limit
    }

    /// The key of a hash of 16 bytes.
    init(limit: UInt16, hash: [UInt8]) {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(limit: limit, high: word(hash.prefix(8)), low: word(hash.dropFirst(8).prefix(8)))
    }

    /// The hash, 16 bytes.
    var hash: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }
}
