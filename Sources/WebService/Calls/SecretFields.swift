import Cryptography
import Messages

/// The secrets of a method's request in JSON. They are taken out of the text before it is read, and
/// put into the packed message: the reader's strings would stay in memory, since a String cannot be
/// wiped.
///
/// In the text stay as many `x` as a secret has bytes there. What is no valid string stays as it
/// is, and the reader refuses it.
///
/// A secret in a message of the request is taken out too: a backend's token is in its proof
/// (`GatewayV1.BackendCall`).
struct SecretFields: Sendable {
    private static let blank = UInt8(ascii: "x")

    /// A secret field: the numbers of the fields from the message down to it.
    private typealias Path = [Int]

    /// The paths of the secret fields, by their names in JSON and in the `.proto` from the outermost
    /// object down.
    private let paths: [[String]: Path]
    /// How many objects the innermost secret is in.
    private let depthMax: Int

    /// The secret fields of a message, and of the messages in it that are no lists.
    init(of message: SchemaMessage) {
        var paths: [[String]: Path] = [:]
        for secret in message.secretFields {
            for names in secret.namings { paths[names] = secret.numbers }
        }
        self.paths = paths
        depthMax = paths.keys.map(\.count).max() ?? 0
    }

    /// Packs a request. Its secrets are wiped from `json`.
    /// - Throws: `MappingError` that names the field that does not fit.
    func packed(_ json: inout [UInt8], as message: SchemaMessage) throws(MappingError) -> [UInt8] {
        var secrets = take(from: &json)
        // The dictionary has no other reference here, so that wiping reaches its arrays.
        defer { for path in Array(secrets.keys) { wipe(&secrets[path, default: []]) } }
        let packed = try message.encodeJSON(json, ignoresUnknownFields: true)
        return secrets.isEmpty ? packed : Self.put(secrets, into: packed[...], at: [])
    }

    // MARK: The text

    /// The secrets, by their paths.
    private func take(from json: inout [UInt8]) -> [Path: [UInt8]] {
        var secrets: [Path: [UInt8]] = [:]
        var position = 0
        /// The names of the objects and lists that the position is in. The outermost and what is in a
        /// list have none.
        var outer: [Range<Int>?] = []
        /// The name before the colon that was read last.
        var name: Range<Int>?
        var isValue = false
        while position < json.count {
            switch json[position] {
            case UInt8(ascii: "\""):
                guard let end = Self.endOfString(json, from: position + 1) else { return secrets }
                let content = position + 1..<end
                if !isValue {
                    name = content
                } else if !content.isEmpty, let path = path(outer, name, in: json),
                    secrets[path] == nil, let secret = JSONSecret.unescaped(json, content)
                {
                    secrets[path] = secret
                    for index in content { json[index] = Self.blank }
                }
                position = end
            case UInt8(ascii: ":"): isValue = true
            case UInt8(ascii: ","): isValue = false
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                outer.append(isValue ? name : nil)
                isValue = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = outer.popLast()
            default: break
            }
            position += 1
        }
        return secrets
    }

    /// The path of the value of `name` in these objects; nil if it is no secret.
    private func path(_ outer: [Range<Int>?], _ name: Range<Int>?, in json: [UInt8]) -> Path? {
        // Only the outermost object has no name.
        guard let name, (1...max(depthMax, 1)).contains(outer.count),
            outer.dropFirst().allSatisfy({ $0 != nil })
        else { return nil }
        let names = outer.dropFirst().compactMap(\.self) + [name]
        return paths[names.map { String(decoding: json[$0], as: UTF8.self) }]
    }

    /// The position of the quote that ends a string.
    private static func endOfString(_ json: [UInt8], from start: Int) -> Int? {
        var position = start
        while position < json.count {
            if json[position] == UInt8(ascii: "\"") { return position }
            position += json[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    // MARK: The message

    /// The message with the secrets in place of the blanks. Its memory has the right size from the
    /// start: an array that grows leaves its content behind.
    /// - Parameter outer: the path of the message in the whole one.
    private static func put(
        _ secrets: [Path: [UInt8]], into packed: ArraySlice<UInt8>, at outer: Path
    ) -> [UInt8] {
        var whole: [UInt8] = []
        // A secret has as many bytes as its blanks, or fewer.
        whole.reserveCapacity(packed.count)
        var scanner = FieldScanner(packed)
        var done = packed.startIndex
        // What our own writer has packed can be read.
        while let field = try? scanner.next() {
            let path = outer + [field.number]
            guard case .bytes(let blanks) = field.value,
                secrets.keys.contains(where: { $0.starts(with: path) })
            else { continue }
            whole += packed[done..<blanks.startIndex - varint(blanks.count).count]
            done = blanks.endIndex
            if let secret = secrets[path] {
                append(secret, to: &whole)
            } else {
                var inner = put(secrets, into: blanks, at: path)
                append(inner, to: &whole)
                wipe(&inner)
            }
        }
        whole += packed[done...]
        return whole
    }

    private static func append(_ content: [UInt8], to whole: inout [UInt8]) {
        whole += varint(content.count)
        whole += content
    }

    private static func varint(_ value: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}

/// Reads a string of JSON into memory that can be wiped.
private enum JSONSecret {
    /// The string's bytes in UTF-8. Nil for what `JSONReader` refuses, and for a NUL, which no text
    /// of a message has.
    static func unescaped(_ json: [UInt8], _ content: Range<Int>) -> [UInt8]? {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var position = content.lowerBound
        while position < content.upperBound {
            let byte = json[position]
            position += 1
            if byte == UInt8(ascii: "\\") {
                guard let scalar = escape(json, &position, content.upperBound), scalar != "\0",
                    let bytes = UTF8.encode(scalar)
                else { return refused(&text) }
                text.append(contentsOf: bytes)
            } else if byte < 0x20 {
                return refused(&text)
            } else {
                text.append(byte)
            }
        }
        do {
            _ = try UTF8Span(validating: text.span)
        } catch {
            return refused(&text)
        }
        return text
    }

    private static func refused(_ text: inout [UInt8]) -> [UInt8]? {
        wipe(&text)
        return nil
    }

    private static func escape(_ json: [UInt8], _ position: inout Int, _ end: Int) -> Unicode
        .Scalar?
    {
        guard position < end else { return nil }
        let byte = json[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let high = codeUnit(json, &position, end) else { return nil }
            if let scalar = Unicode.Scalar(high) { return scalar }
            guard UTF16.isLeadSurrogate(high), position + 1 < end,
                json[position] == UInt8(ascii: "\\"), json[position + 1] == UInt8(ascii: "u")
            else { return nil }
            position += 2
            guard let low = codeUnit(json, &position, end), UTF16.isTrailSurrogate(low) else {
                return nil
            }
            return UTF16.decode(UTF16.EncodedScalar([high, low]))
        default: return nil
        }
    }

    private static func codeUnit(_ json: [UInt8], _ position: inout Int, _ end: Int) -> UInt16? {
        guard position + 4 <= end else { return nil }
        var unit: UInt16 = 0
        for byte in json[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }
}
