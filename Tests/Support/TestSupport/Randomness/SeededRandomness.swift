import ServiceRuntime
import Synchronization

/// Repeatable randomness: the same seed gives the same bytes, so that a failure can be reproduced.
/// The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014).
package final class SeededRandomness: Randomness, RandomNumberGenerator {
    private let state: Mutex<UInt64>

    /// Starts the sequence of `seed`.
    package init(seed: UInt64 = 1) {
        state = Mutex(seed)
    }

    /// Fills the buffer with the next bytes of the sequence.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for start in stride(from: 0, to: buffer.count, by: 8) {
            withUnsafeBytes(of: next().littleEndian) { bytes in
                let count = min(8, buffer.count - start)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + count])
                part.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
    }

    /// The next 64 bits. The standard library's `shuffle(using:)` uses it too.
    package func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
