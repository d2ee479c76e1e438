/// The 64 characters of one variant of Base64, and their values.
struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(last: "+/")
    static let url = Base64Alphabet(last: "-_")

    private static let invalid: UInt8 = 0xFF
    private let characters: [UInt8]
    private let values: [UInt8]

    private init(last: StaticString) {
        var characters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        last.withUTF8Buffer { characters += $0 }
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        self.characters = characters
        self.values = values
    }

    /// Text without padding.
    func encode(_ bytes: some Collection<UInt8>) -> String {
        withContiguousBytes(of: bytes) { source in
            String(unsafeUninitializedCapacity: (source.count * 4 + 2) / 3) { target in
                encode(source, into: target)
            }
        }
    }

    private func encode(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (held, bits, written): (UInt32, Int, Int) = (0, 0, 0)
        for byte in source {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                target[written] = characters[Int(held >> bits) & 63]
                written += 1
            }
        }
        if bits > 0 {
            target[written] = characters[Int(held << (6 - bits)) & 63]
            written += 1
        }
        return written
    }

    /// The bytes of a text without padding. Nil for an invalid character or length, and when unused
    /// bits are set, unless they are ignored.
    func decode(_ text: some Collection<UInt8>, ignoresUnusedBits: Bool = false) -> [UInt8]? {
        withContiguousBytes(of: text) { source in
            guard source.count % 4 != 1 else { return nil }
            var bytes = [UInt8]()
            bytes.reserveCapacity(source.count * 3 / 4)
            var (held, bits): (UInt32, Int) = (0, 0)
            for character in source {
                let value = values[Int(character)]
                guard value != Self.invalid else { return nil }
                held = held << 6 | UInt32(value)
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    bytes.append(UInt8(truncatingIfNeeded: held >> bits))
                }
            }
            guard ignoresUnusedBits || held & (1 << bits - 1) == 0 else { return nil }
            return bytes
        }
    }
}
