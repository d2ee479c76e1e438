import Texts

/// A part of a file.
struct TemplateSource: Sendable {
    let file: String
    /// The number of the first line, from 1.
    let line: Int
    let text: String

    func fault(_ sentence: String, line: Int? = nil) -> TemplateFault {
        TemplateFault(file: file, line: line ?? self.line, sentence: sentence)
    }
}

extension TemplateSource {
    /// The built-in text of a file; nil if there is none.
    init?(builtIn name: OperatorFileName) {
        guard let folder = name.kind.folder, let text = Texts.file("\(folder)/\(name.text)") else {
            return nil
        }
        self.init(file: name.text, line: 1, text: text)
    }
}

/// An error in a template, with what its author needs to find and fix it.
package struct TemplateFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as the operator named it.
    package let file: String
    /// From 1; 0 for the whole file.
    package let line: Int
    /// The error message, with the allowed values.
    package let sentence: String

    /// `verify-email.de.mail, line 3: …`
    package var description: String {
        line == 0 ? "\(file): \(sentence)" : "\(file), line \(line): \(sentence)"
    }
}

/// All errors in a set of templates.
package struct TemplateFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errors, in the order of the files.
    package let faults: [TemplateFault]

    /// One per line.
    package var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// The parts of a wording file: header lines, an empty line, paragraphs.
struct WordingText {
    let paragraphs: [TemplateSource]
    private let source: TemplateSource
    private let headers: [(name: Substring, value: TemplateSource)]

    init(_ source: TemplateSource) {
        self.source = source
        let lines = source.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let end = lines.firstIndex { Self.isEmpty($0) } ?? lines.endIndex
        headers = lines[..<end].enumerated().map { offset, line in
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count == 2 ? halves[1].drop { $0 == " " } : ""
            return (
                halves.first ?? "",
                TemplateSource(
                    file: source.file, line: source.line + offset, text: String(value))
            )
        }
        paragraphs = Self.paragraphs(lines[end...], of: source)
    }

    /// A required header line.
    /// - Throws: `TemplateFault` if it is missing.
    func header(_ name: String) throws(TemplateFault) -> TemplateSource {
        guard let value = optionalHeader(name) else {
            throw source.fault("the line \"\(name): …\" is missing")
        }
        return value
    }

    /// An optional header line; nil if it is missing or empty.
    func optionalHeader(_ name: String) -> TemplateSource? {
        headers.first { $0.name == name && !$0.value.text.isEmpty }?.value
    }

    func refuseOtherHeaders(than known: [Substring]) throws(TemplateFault) {
        var seen: [Substring] = []
        for header in headers {
            guard known.contains(header.name), !seen.contains(header.name) else {
                throw header.value.fault(
                    "allowed in the header: \(known.joined(separator: ", ")), each once")
            }
            seen.append(header.name)
        }
    }

    private static func isEmpty(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " } }

    private static func paragraphs(
        _ lines: ArraySlice<Substring>, of source: TemplateSource
    ) -> [TemplateSource] {
        lines.split(whereSeparator: isEmpty).map { lines in
            TemplateSource(
                file: source.file, line: source.line + lines.startIndex,
                text: lines.joined(separator: "\n"))
        }
    }
}
