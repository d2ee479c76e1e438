import ServiceRuntime
import TestSupport
import Testing

/// Always gives the same byte.
private struct Constant: Randomness {
    let byte: UInt8

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        buffer.initializeMemory(as: UInt8.self, repeating: byte)
    }
}

@Suite("Values drawn from a source of randomness")
struct RandomnessTests {
    @Test("a row key is positive for the lowest and the highest draw")
    func rowKey() {
        #expect(Constant(byte: 0).rowKey() == 1)
        #expect(Constant(byte: 0xFF).rowKey() == .max)
    }

    @Test(
        "it gives exactly the requested number of bytes, also none",
        arguments: [0, 1, 7, 8, 9, 32, 1_000])
    func bytes(count: Int) {
        #expect(Constant(byte: 7).bytes(count) == [UInt8](repeating: 7, count: count))
        #expect(SeededRandomness().bytes(count).count == count)
    }

    @Test("SplitMix64's first numbers from seed 1234567 match its authors' values")
    func splitMix() {
        let randomness = SeededRandomness(seed: 1_234_567)
        #expect(randomness.next() == 6_457_827_717_110_365_317)
        #expect(randomness.next() == 3_203_168_211_198_807_973)
        #expect(randomness.next() == 9_817_491_932_198_370_423)
    }

    @Test("the same seed repeats its numbers, and another seed does not")
    func seeds() {
        #expect(SeededRandomness(seed: 5).bytes(64) == SeededRandomness(seed: 5).bytes(64))
        #expect(SeededRandomness(seed: 5).bytes(64) != SeededRandomness(seed: 6).bytes(64))
    }
}
