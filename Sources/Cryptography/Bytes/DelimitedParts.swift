/// Several byte strings as one, each behind its length, so that no two lists give the same bytes.
///
/// Attack it stops: under a MAC or a hash of the bare concatenation, `("ab", "c")` and `("a", "bc")`
/// are one message, and an answer or a proof for the first stands for the second.
package enum DelimitedParts {
    /// Each part behind its length of four bytes, big-endian.
    package static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        var joined: [UInt8] = []
        joined.reserveCapacity(parts.reduce(0) { $0 + 4 + $1.count })
        for part in parts {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) { joined += $0 }
            joined += part
        }
        return joined
    }
}
