import Cryptography

/// A password as a guesser sees it: lower-case bytes, so that `PassWord` is `password`. What stands
/// for a letter (`p@ssw0rd`) is looked at by `spellings`.
///
/// It is as secret as the password, so what is made here is wiped.
struct FoldedPassword {
    /// UTF-8, lower-case.
    private(set) var bytes: [UInt8]

    /// More than a code point and its lower-case mapping take: an array that grew on the way would
    /// leave a part of the password behind.
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

    /// What `found` says of the password; wiped after.
    consuming func wiped(_ found: (ArraySlice<UInt8>) -> Bool) -> Bool {
        let answer = found(bytes[...])
        wipe(&bytes)
        return answer
    }

    /// What stands for which letter, where 1 and ! are an i, or an l.
    private static let standIns: [UInt8: UInt8] = [
        UInt8(ascii: "0"): UInt8(ascii: "o"), UInt8(ascii: "1"): UInt8(ascii: "i"),
        UInt8(ascii: "!"): UInt8(ascii: "i"), UInt8(ascii: "3"): UInt8(ascii: "e"),
        UInt8(ascii: "4"): UInt8(ascii: "a"), UInt8(ascii: "@"): UInt8(ascii: "a"),
        UInt8(ascii: "5"): UInt8(ascii: "s"), UInt8(ascii: "$"): UInt8(ascii: "s"),
        UInt8(ascii: "7"): UInt8(ascii: "t"), UInt8(ascii: "+"): UInt8(ascii: "t"),
    ]

    /// Whether `found` knows `text` as it is, or with letters for what stands for them.
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
    /// Whether it can be part of a word: an ASCII letter, or of a letter beyond.
    var isOfWord: Bool { (97...122).contains(self) || self >= 0x80 }
    /// Whether it is an ASCII digit.
    var isDigit: Bool { (48...57).contains(self) }
}
