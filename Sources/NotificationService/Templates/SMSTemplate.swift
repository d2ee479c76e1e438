/// The texts that go to phones. To add one: a case, its variables and lane, a file of its words.
package enum SMSTemplate: String, CaseIterable, Sendable {
    /// A code to sign in with, or to prove oneself again (G-06, N-02).
    case phoneCode = "phone-code"

    /// The variables that a request must bring.
    package var variables: [TemplateVariable] {
        switch self {
        case .phoneCode: [.code, .minutes]
        }
    }

    /// How urgent it is (N-06).
    package var lane: Lane {
        switch self {
        case .phoneCode: .requested
        }
    }

    /// Our words.
    var wordings: Wordings {
        switch self {
        case .phoneCode: PhoneCodeTextWording.wordings
        }
    }
}

/// The words of a text message in one language: one paragraph.
struct SMSWording: Sendable {
    /// Bytes of one file.
    static let bytesMax = 4_096

    let words: MustacheTemplate

    /// - Throws: `TemplateFault`.
    init(_ source: TemplateSource, variables: [TemplateVariable]) throws(TemplateFault) {
        let text = source.text.trimmingNewlines
        guard !text.isEmpty else { throw source.fault("there is nothing in it", line: 0) }
        words = try MustacheParser.template(
            TemplateSource(file: source.file, line: source.line, text: text),
            names: ShownValues.common + variables.map(\.rawValue))
    }
}

extension String {
    /// Without the line ends at its end that editors put there.
    var trimmingNewlines: String {
        var text = self[...]
        while text.last?.isNewline == true { text.removeLast() }
        return String(text)
    }
}
