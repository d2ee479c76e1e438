/// The part of DER (X.690) that test certificates need.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, parts.flatMap(\.self)) }
    static func set(_ part: [UInt8]) -> [UInt8] { tagged(0x31, part) }
    static func octets(_ content: [UInt8]) -> [UInt8] { tagged(0x04, content) }
    static func bits(_ content: [UInt8]) -> [UInt8] { tagged(0x03, [0] + content) }
    static func text(_ text: String) -> [UInt8] { tagged(0x0C, Array(text.utf8)) }
    static let yes: [UInt8] = [0x01, 0x01, 0xFF]

    /// An object identifier; `content` is already encoded.
    static func identifier(_ content: [UInt8]) -> [UInt8] { tagged(0x06, content) }

    /// A non-negative integer.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return tagged(0x02, digits)
    }

    static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
        return [tag] + (count < 0x80 ? length : minimal(length)) + content
    }

    /// DER requires the shortest encoding of a length.
    private static func minimal(_ length: [UInt8]) -> [UInt8] {
        length[1] == 0 ? [0x81, length[2]] : length
    }
}
