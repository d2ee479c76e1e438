/// Encodes forms as `application/x-www-form-urlencoded` (WHATWG URL, 5.2).
package enum FormBody {
    /// The encoded fields, in their order.
    package static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(
            fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&").utf8)
    }

    /// Escapes everything but letters, digits and `-._~` as `%XX`, which is safe in forms, queries
    /// and paths.
    package static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
