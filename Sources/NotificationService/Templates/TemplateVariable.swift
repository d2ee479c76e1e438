/// What stands for something of this one message in a template. To add one: a case, what it
/// `allows`, how `ShownValues` shows it, and a sample for the preview.
package enum TemplateVariable: String, CaseIterable, Sendable {
    /// Where to go: a whole URL.
    case link
    /// The name of a device; empty where it has none.
    case device
    /// A moment: `2026-01-31 09:05 UTC`, or a day. Told in the manner of the reader's language.
    case time
    /// What a person is called; empty where they have not said.
    case name
    /// A town or country, as far as it is known; else empty.
    case place
    /// A way to sign in, by its name in `SignInMethod`.
    case method
    /// Several of them, with spaces between.
    case methods
    /// Another address of the reader's; masked before it is shown.
    case address
    /// A code to type in.
    case code
    /// How long the code is good, in minutes.
    case minutes

    /// The longest value, in bytes: a link with a token is a few hundred.
    package static let bytesMax = 2_048

    /// The longest name of a device or moment, in bytes.
    private static let wordsBytesMax = 256
    /// Digits and letters of a code.
    private static let codeCount = 4...12

    /// Whether `value` can be this. A link is `http` or `https` in printable ASCII without quotes
    /// or brackets: `javascript:` in an `href` would run, and a line break in the text part could
    /// fake one. Names and moments are one line of letters, numbers and a few marks: with a point,
    /// a slash or an at sign mail programs would make a link of what a stranger typed.
    package func allows(_ value: String) -> Bool {
        switch self {
        case .link:
            (value.hasPrefix("https://") || value.hasPrefix("http://"))
                && value.utf8.count <= Self.bytesMax
                && value.utf8.allSatisfy { byte in
                    (33...126).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
                }
        case .device, .time, .name, .method, .methods: Self.areWords(value, marks: " '’-():")
        case .place: Self.areWords(value, marks: " '’-():,")
        case .address: MailAddress(value) != nil
        case .code:
            Self.codeCount.contains(value.utf8.count)
                && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        case .minutes:
            (1...4).contains(value.utf8.count) && value.allSatisfy { $0.isASCII && $0.isNumber }
        }
    }

    private static func areWords(_ value: String, marks: String) -> Bool {
        value.utf8.count <= wordsBytesMax
            && value.allSatisfy { $0.isLetter || $0.isNumber || marks.contains($0) }
    }
}

/// Why a template gives no message.
package struct TemplateMistake: Error, Hashable {
    /// The variable that has no value; nil when the words cannot stand in a header.
    package let missing: TemplateVariable?

    /// The words cannot stand where they must: a subject over its length, for instance.
    static let unreadable = TemplateMistake(missing: nil)

    init(missing: TemplateVariable?) {
        self.missing = missing
    }
}
