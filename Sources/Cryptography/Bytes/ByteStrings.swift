/// Lends the bytes of any collection to C. Arrays, slices, buffers and native strings' UTF-8 are
/// lent in place; others are copied first.
func withContiguousBytes<R>(
    of bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> R
) rethrows -> R {
    let result = try bytes.withContiguousStorageIfAvailable {
        try body(UnsafeRawBufferPointer($0))
    }
    if let result { return result }
    return try Array(bytes).withUnsafeBytes(body)
}

/// Joins several byte strings, each prefixed with its length, so that no two lists give the same
/// bytes.
///
/// The attack that it stops: with a MAC or a hash of the plain concatenation, `("ab", "c")` and
/// `("a", "bc")` are one message, so that a response or proof for the first is also valid for the
/// second.
package enum DelimitedParts {
    /// Prefixes each part with its length in four bytes, big-endian.
    package static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(parts.reduce(0) { $0 + 4 + $1.count })
        for part in parts {
            append(to: &joined) { $0 += part }
        }
        return joined
    }

    /// Appends one part, of the bytes that `write` appends, so that it needs no array of its own.
    package static func append(to joined: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        let start = joined.count
        joined.append(bigEndian: UInt32(0))
        write(&joined)
        let count = UInt32(truncatingIfNeeded: joined.count - start - 4)
        withUnsafeBytes(of: count.bigEndian) {
            joined.replaceSubrange(start..<start + 4, with: $0)
        }
    }
}

extension FixedWidthInteger {
    /// The number's bytes, big-endian.
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension [UInt8] {
    /// Appends the number's bytes, big-endian.
    package mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { self += $0 }
    }
}

extension [Int64] {
    /// The numbers, 8 bytes each, big-endian.
    package var bigEndianBytes: [UInt8] { flatMap(\.bigEndianBytes) }

    /// Reads `bigEndianBytes`. Returns nil if the last number is cut.
    package init?(bigEndianBytes bytes: [UInt8]) {
        guard bytes.count % 8 == 0 else { return nil }
        self = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}
