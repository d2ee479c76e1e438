/// A checksum at memory speed: four independent sums, so that a multiplication need not wait for
/// the previous one. Each step is a bijection of the sum, so one damaged 64-bit word always changes
/// it.
enum JournalChecksum {
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The checksum of `bytes`, whose count is a multiple of 8, and of the `seeds` before them.
    static func of(_ bytes: UnsafeRawBufferPointer, seeds: [UInt64]) -> UInt64 {
        var sums: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
        let words = bytes.count / 8
        var place = 0
        while place + 4 <= words {
            mix(&sums.0, word(bytes, place))
            mix(&sums.1, word(bytes, place + 1))
            mix(&sums.2, word(bytes, place + 2))
            mix(&sums.3, word(bytes, place + 3))
            place += 4
        }
        while place < words {
            mix(&sums.0, word(bytes, place))
            place += 1
        }
        var sum: UInt64 = 0
        for value in seeds + [sums.0, sums.1, sums.2, sums.3] { mix(&sum, value) }
        return sum
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
    }

    @inline(__always)
    private static func mix(_ sum: inout UInt64, _ word: UInt64) {
        sum = (sum ^ word) &* factor
        sum ^= sum >> 29
    }
}
