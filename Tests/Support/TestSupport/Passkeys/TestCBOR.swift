package import Cryptography

/// Writes CBOR (RFC 8949), right or wrong as a test needs it.
package enum TestCBOR {
    /// The first bytes of a value: its kind, from 0 to 7, and a number in the shortest form.
    package static func head(_ kind: UInt8, _ number: Int) -> [UInt8] {
        let kind = kind << 5
        switch number {
        case ..<24: return [kind | UInt8(number)]
        case ..<0x100: return [kind | 24, UInt8(number)]
        case ..<0x1_0000: return [kind | 25, UInt8(number >> 8), UInt8(number & 0xFF)]
        case ..<0x1_0000_0000: return [kind | 26] + number.bigEndianBytes.suffix(4)
        default: return [kind | 27] + number.bigEndianBytes
        }
    }

    /// A number.
    package static func integer(_ number: Int) -> [UInt8] {
        number < 0 ? head(1, -1 - number) : head(0, number)
    }

    /// A byte string.
    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

    /// A text.
    package static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + text.utf8 }

    /// A list of encoded values.
    package static func array(_ values: [[UInt8]]) -> [UInt8] {
        head(4, values.count) + values.flatMap(\.self)
    }

    /// A map of encoded keys and values, in the given order.
    package static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
        head(5, members.count) + members.flatMap { $0.0 + $0.1 }
    }

    /// A value that a reader has accepted, maps in their order.
    package static func value(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .integer(let number): integer(Int(number))
        case .bytes(let content): bytes(content)
        case .text(let content): text(content)
        case .array(let values): array(values.map(self.value))
        case .map(let content): map(content.members.map { (key($0.key), self.value($0.value)) })
        case .boolean(let isTrue): [isTrue ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func key(_ key: CBORMap.Key) -> [UInt8] {
        switch key {
        case .integer(let number): integer(Int(number))
        case .text(let content): text(content)
        }
    }
}
