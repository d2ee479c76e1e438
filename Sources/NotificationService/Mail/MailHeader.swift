/// The header of a mail: fields in order (RFC 5322, 2.2).
///
/// Attack: header injection (CWE-93). A field's value has no line end except folds. `init` rejects
/// any other value, whatever its source.
struct MailHeader: Hashable, Sendable {
    /// A line end within a value. The next line still belongs to the field.
    static let fold = "\r\n "
    /// The longest line without its end, in bytes (RFC 5322, 2.1.1).
    static let lineBytesMax = 998

    /// One field.
    struct Field: Hashable, Sendable {
        /// The name as written.
        let name: String
        /// The value after the colon and its space, with folds.
        let value: String

        /// A field of ours. A value that could start another field, or has a line that is too long,
        /// is a programming error: all external input is validated by its own type.
        init(_ name: String, _ value: String) {
            precondition(
                Self.isSafe(value, nameBytes: name.utf8.count), "a header field is invalid")
            self.name = name
            self.value = value
        }

        /// The same for a value that contains an address; nil if it is not allowed in a header,
        /// because an address must never trap the program.
        init?(ifSafe name: String, _ value: String) {
            guard Self.isSafe(value, nameBytes: name.utf8.count) else { return nil }
            self.name = name
            self.value = value
        }

        /// Whether the field has this name, which is given in lower case.
        func isNamed(_ lowercased: String) -> Bool {
            name.utf8.count == lowercased.utf8.count
                && zip(name.utf8, lowercased.utf8).allSatisfy { given, wanted in
                    ((65...90).contains(given) ? given | 0x20 : given) == wanted
                }
        }

        private static func isSafe(_ value: String, nameBytes: Int) -> Bool {
            var width = nameBytes + 2
            var before: UInt8 = 0
            for byte in value.utf8 {
                switch (before, byte) {
                case (13, 10): width = 0
                case (10, 32): width = 1
                case (10, _), (13, _), (_, 10), (_, 0): return false
                case (_, 13): break
                default: width += 1
                }
                guard width <= MailHeader.lineBytesMax else { return false }
                before = byte
            }
            return before != 13 && before != 10
        }
    }

    /// The fields, in order.
    var fields: [Field]

    /// A header of these fields.
    init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Appends the lines, each with CR LF, without the empty line that ends the header.
    func append(to bytes: inout [UInt8]) {
        for field in fields {
            bytes += field.name.utf8
            bytes += ": ".utf8
            bytes += field.value.utf8
            bytes += [13, 10]
        }
    }
}
