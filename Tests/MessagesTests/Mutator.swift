/// Mutates messages, the same way on every run: SplitMix64 decides what and where.
struct Mutator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number from 0 up to `limit`, which must be above 0.
    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }

    /// `bytes` with one to four changes, some of which insert parts of `other`.
    mutating func mutated(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        var mutated = bytes
        for _ in 0...below(4) {
            let place = below(mutated.count + 1)
            let end = min(mutated.count, place + below(8))
            switch below(6) {
            case 0 where place < mutated.count: mutated[place] ^= 1 << below(8)
            case 1 where place < mutated.count: mutated[place] = UInt8(below(256))
            case 2: mutated.removeSubrange(place..<end)
            case 3: mutated.insert(contentsOf: mutated[place..<end], at: place)
            case 4:
                let start = below(other.count + 1)
                mutated.insert(contentsOf: other[start...].prefix(below(32)), at: place)
            default: mutated.insert(UInt8(below(256)), at: place)
            }
        }
        return mutated
    }
}
