/// Writes JSON without spaces, with members in their order.
package enum JSONWriter {
    /// The text of an object.
    package static func text(_ object: JSONObject) -> String {
        var bytes: [UInt8] = []
        write(.object(object), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .integer(let number): bytes += "\(number)".utf8
        case .real(let number): bytes += "\(number)".utf8
        case .string(let text): write(text, to: &bytes)
        case .array(let values):
            list(values, between: "[", "]", to: &bytes) { write($0, to: &$1) }
        case .object(let object):
            list(object.members, between: "{", "}", to: &bytes) { member, bytes in
                write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write(member.value, to: &bytes)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], between open: String, _ close: String, to bytes: inout [UInt8],
        _ write: (Element, inout [UInt8]) -> Void
    ) {
        bytes += open.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element, &bytes)
        }
        bytes += close.utf8
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20: bytes += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
