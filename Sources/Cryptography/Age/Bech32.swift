/// Bech32 (BIP 173) without its limit of 90 characters: the text form of age's keys. The checksum
/// finds any four wrong characters.
enum Bech32 {
    /// Why a text is not Bech32. It contains nothing of the text, which may be a secret.
    enum Flaw: String, Error {
        case noSeparator = "it has no 1 between its prefix and its data"
        case mixedCase = "it has letters of both cases"
        case character = "it has a character that is not of the Bech32 alphabet"
        case tooShort = "it is cut off"
        case checksum = "its checksum does not fit, so it was mistyped or cut off"
        case padding = "its last character has unused bits that are not zero"
    }

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let separator = UInt8(ascii: "1")
    private static let checksumCount = 6

    /// The text of `bytes`, in the case of `prefix`, which is printable ASCII in one case.
    static func encode(prefix: String, _ bytes: some Collection<UInt8>) -> [UInt8] {
        var groups = groups(of: bytes)
        defer { wipe(&groups) }
        var checksum = Checksum(prefix: prefix.lowercased().utf8)
        for group in groups { checksum.add(group) }
        var text = Array(prefix.utf8) + [separator]
        // A larger array would leave a copy of a secret behind.
        text.reserveCapacity(text.count + groups.count + checksumCount)
        let isUpper = prefix.utf8.contains(where: isUpperCase)
        for group in [groups, checksum.groups(checksumCount)].joined() {
            let character = alphabet[Int(group)]
            text.append(isUpper ? upperCase(character) : character)
        }
        return text
    }

    /// The prefix of a text, as it is written there, and its bytes.
    static func decode(
        _ text: some Collection<UInt8>
    ) throws(Flaw) -> (prefix: String, bytes: [UInt8]) {
        guard !(text.contains(where: isUpperCase) && text.contains(where: isLowerCase)) else {
            throw .mixedCase
        }
        var text = Array(text)
        defer { wipe(&text) }
        guard let end = text.lastIndex(of: separator), end > 0 else { throw .noSeparator }
        var groups: [UInt8] = []
        defer { wipe(&groups) }
        groups.reserveCapacity(text.count)
        for character in text[(end + 1)...] {
            guard let group = alphabet.firstIndex(of: lowerCase(character)) else {
                throw .character
            }
            groups.append(UInt8(group))
        }
        guard groups.count >= checksumCount else { throw .tooShort }
        var checksum = Checksum(prefix: text[..<end].map(lowerCase))
        for group in groups { checksum.add(group) }
        guard checksum.isValid else { throw .checksum }
        guard let bytes = bytes(of: groups.dropLast(checksumCount)) else { throw .padding }
        return (String(decoding: text[..<end], as: UTF8.self), bytes)
    }

    /// Groups of five bits. The last is filled up with zeros.
    private static func groups(of bytes: some Collection<UInt8>) -> [UInt8] {
        var groups: [UInt8] = []
        groups.reserveCapacity((bytes.count * 8 + 4) / 5)
        var (held, bits): (UInt32, Int) = (0, 0)
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                groups.append(UInt8(held >> bits & 31))
            }
        }
        if bits > 0 { groups.append(UInt8(held << (5 - bits) & 31)) }
        return groups
    }

    /// The bytes of groups of five bits. Nil when a whole group is unused, or a bit that is set.
    private static func bytes(of groups: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(groups.count * 5 / 8)
        var (held, bits): (UInt32, Int) = (0, 0)
        for group in groups {
            held = held << 5 | UInt32(group)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> bits))
            }
        }
        guard bits < 5, held & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func isUpperCase(_ character: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= character
    }

    private static func isLowerCase(_ character: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= character
    }

    private static func lowerCase(_ character: UInt8) -> UInt8 {
        isUpperCase(character) ? character + 32 : character
    }

    private static func upperCase(_ character: UInt8) -> UInt8 {
        isLowerCase(character) ? character - 32 : character
    }

    /// The BCH code of BIP 173 over the prefix and the groups of data.
    private struct Checksum {
        private static let generators: [UInt32] = [
            0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
        ]
        private var state: UInt32 = 1

        init(prefix: some Collection<UInt8>) {
            for character in prefix { add(character >> 5) }
            add(0)
            for character in prefix { add(character & 31) }
        }

        mutating func add(_ group: UInt8) {
            let top = state >> 25
            state = (state & 0x01FF_FFFF) << 5 ^ UInt32(group)
            for (bit, generator) in Self.generators.enumerated() where top >> bit & 1 == 1 {
                state ^= generator
            }
        }

        /// The groups that make the code valid.
        func groups(_ count: Int) -> [UInt8] {
            var whole = self
            for _ in 0..<count { whole.add(0) }
            let code = whole.state ^ 1
            return (0..<count).map { UInt8(code >> (5 * (count - 1 - $0)) & 31) }
        }

        /// Whether the groups that were added end with their own code.
        var isValid: Bool { state == 1 }
    }
}
