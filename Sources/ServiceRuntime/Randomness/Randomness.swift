/// The source of randomness: the operating system's generator in programs, a seeded one in tests.
/// All secrets and unguessable values are drawn from it.
package protocol Randomness: Sendable {
    /// Fills `buffer` with random bytes.
    func fill(_ buffer: UnsafeMutableRawBufferPointer)
}

extension Randomness {
    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            filled = count
        }
    }

    /// A random 64-bit number.
    package func integer() -> UInt64 {
        var value: UInt64 = 0
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return value
    }

    /// A random row key: 1 … 2⁶³−1, so that it is a positive SQLite integer.
    package func rowKey() -> Int64 {
        max(1, Int64(integer() >> 1))
    }
}
