import Contracts

/// A limit and its subject as the table stores them: a keyed hash, never plain text.
package struct LimitKey: Hashable, Sendable {
    /// The limit's number.
    package let limit: UInt16
    /// The hash's first eight bytes; they determine its position in the table.
    package let high: UInt64
    /// The hash's other eight bytes.
    package let low: UInt64

    /// Creates a key from the two halves of a hash.
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

    /// Creates a key from a hash of 16 bytes.
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
