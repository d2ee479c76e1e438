/// Whom a limit is about, as the table knows it: a keyed hash, never in clear.
struct LimitKey: Hashable, Sendable {
    /// The limit's number.
    let limit: UInt16
    /// The hash's first eight bytes; its place in the table hangs on them.
    let high: UInt64
    /// The hash's other eight bytes.
    let low: UInt64
}

extension LimitKey {
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
