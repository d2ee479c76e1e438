import TestSupport

/// Mutates frames, the same way on every run.
struct FrameMutator {
    private let randomness: SeededRandomness

    init(seed: UInt64) {
        randomness = SeededRandomness(seed: seed)
    }

    /// A number from 0 up to `limit`, which must be above 0.
    mutating func below(_ limit: Int) -> Int { Int(randomness.next() % UInt64(limit)) }

    /// `bytes` with one to three changes, some of which insert parts of `other`.
    mutating func mutated(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        var mutated = bytes
        for _ in 0...below(3) {
            let place = below(mutated.count + 1)
            let end = min(mutated.count, place + below(6))
            switch below(7) {
            case 0 where place < mutated.count: mutated[place] ^= 1 << below(8)
            case 1 where place < mutated.count: mutated[place] = UInt8(below(256))
            case 2: mutated.removeSubrange(place..<end)
            case 3: mutated.insert(contentsOf: mutated[place..<end], at: place)
            case 4:
                let start = below(other.count + 1)
                mutated.insert(contentsOf: other[start...].prefix(below(24)), at: place)
            case 5: mutated.insert(UInt8(below(256)), at: place)
            default: mutated = grown(mutated, place, below(12))
            }
        }
        return mutated
    }

    /// Inserts a field and corrects the length of the frame's only part, so that the change is
    /// inside it and not at its edge.
    private mutating func grown(_ bytes: [UInt8], _ place: Int, _ kind: Int) -> [UInt8] {
        guard bytes.count > 2, bytes[1] < 0x60, Int(bytes[1]) == bytes.count - 2 else {
            return bytes
        }
        let number = UInt8(1 + below(8))
        let field: [UInt8] =
            switch kind {
            case 0..<4: [number << 3, UInt8(below(256)) | 0x80, UInt8(below(128))]
            case 4..<8: [number << 3 | 2, 2, UInt8(below(128)), UInt8(below(128))]
            case 8: [number << 3 | 5, 1, 2, 3, 4]
            case 9: [0xa0, 0x06, UInt8(below(128))]
            default: [UInt8(below(256)), UInt8(below(256)), UInt8(below(256))]
            }
        var grown = bytes
        grown.insert(contentsOf: field, at: place < bytes.count / 2 ? 2 : bytes.count)
        grown[1] += UInt8(field.count)
        return grown
    }
}
