import Cryptography
import ServiceRuntime

/// A line of the file of tombstones.
struct Tombstone: Hashable, Sendable {
    /// The first 16 bytes of the keyed hash of an account.
    struct Key: Hashable, Sendable {
        let first: UInt64
        let second: UInt64
    }

    private static let separator = UInt8(ascii: " ")

    let key: Key
    /// When the deletion began.
    let at: Timestamp

    init(_ key: Key, at moment: Timestamp) {
        self.key = key
        at = moment
    }

    /// Nil for a line of another form.
    init?(line: ArraySlice<UInt8>) {
        let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 2, let hash = Hex.decode(parts[0]),
            hash.count == KeyedHash.lookUpKeyBytes,
            let milliseconds = Int64(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        key = Key(first: number(hash[..<8]), second: number(hash[8...]))
        at = Timestamp(milliseconds: milliseconds)
    }

    /// The line with its end: hexadecimal hash, space, milliseconds since 1970.
    var line: [UInt8] {
        let bytes = [key.first, key.second].flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        return Array("\(Hex.encode(bytes)) \(at.milliseconds)\n".utf8)
    }
}
