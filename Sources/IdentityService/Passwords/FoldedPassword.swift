import Cryptography

/// A password folded for comparison: lower-case bytes, so that `PassWord` becomes `password`.
/// Substitutions for letters (`p@ssw0rd`) are handled by `anySpelling`.
///
/// The folded text is as secret as the password, so all copies are wiped.
struct FoldedPassword {
    /// UTF-8, lower-case.
    private(set) var bytes: [UInt8]

    /// More than a code point and its lower-case mapping need. If the array had to grow, its old
    /// buffer would keep part of the password in memory.
    private static let bytesPerScalar = 8

    init(_ scalars: some Collection<Unicode.Scalar>) {
        bytes = []
        bytes.reserveCapacity(scalars.count * Self.bytesPerScalar)
        for scalar in scalars {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                bytes.append((65...90).contains(byte) ? byte | 0x20 : byte)
            } else {
                bytes.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
            }
        }
    }

    /// Applies `found` to the password, then wipes it.
    consuming func wiped(_ found: (ArraySlice<UInt8>) -> Bool) -> Bool {
        let answer = found(bytes[...])
        wipe(&bytes)
        return answer
    }

    /// Common substitutions and their letters. 1 and ! stand for i or l.
    private static let standIns: [UInt8: UInt8] = [
        UInt8(ascii: "0"): UInt8(ascii: "o"), UInt8(ascii: "1"): UInt8(ascii: "i"),
        UInt8(ascii: "!"): UInt8(ascii: "i"), UInt8(ascii: "3"): UInt8(ascii: "e"),
        UInt8(ascii: "4"): UInt8(ascii: "a"), UInt8(ascii: "@"): UInt8(ascii: "a"),
        UInt8(ascii: "5"): UInt8(ascii: "s"), UInt8(ascii: "$"): UInt8(ascii: "s"),
        UInt8(ascii: "7"): UInt8(ascii: "t"), UInt8(ascii: "+"): UInt8(ascii: "t"),
    ]

    /// Whether `found` accepts `text` as it is, or with substitutions replaced by their letters.
    static func anySpelling(
        of text: ArraySlice<UInt8>, _ found: (ArraySlice<UInt8>) -> Bool
    ) -> Bool {
        if found(text) { return true }
        guard text.contains(where: { standIns[$0] != nil }) else { return false }
        for one in [UInt8(ascii: "i"), UInt8(ascii: "l")] {
            var spelt = text.map { byte in
                byte == UInt8(ascii: "1") || byte == UInt8(ascii: "!")
                    ? one : standIns[byte] ?? byte
            }
            defer { wipe(&spelt) }
            if found(spelt[...]) { return true }
        }
        return false
    }
}

extension UInt8 {
    /// Whether the byte can be part of a word: an ASCII letter, or part of a non-ASCII character.
    var isOfWord: Bool { (97...122).contains(self) || self >= 0x80 }
    /// Whether the byte is an ASCII digit.
    var isDigit: Bool { (48...57).contains(self) }
}
