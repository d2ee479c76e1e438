/// What is wrong with a template, so that its author finds and mends it.
package struct TemplateFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as the operator named it.
    package let file: String
    /// Counted from 1; 0 for the whole file.
    package let line: Int
    /// What is wrong, and what is allowed instead.
    package let sentence: String

    /// `verify-email.de.mail, line 3: …`
    package var description: String {
        line == 0 ? "\(file): \(sentence)" : "\(file), line \(line): \(sentence)"
    }
}

/// All that is wrong with a set of templates, at once.
package struct TemplateFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// Each fault, in the order of the files.
    package let faults: [TemplateFault]

    /// One a line.
    package var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Some lines of a file.
struct TemplateSource: Sendable {
    let file: String
    /// The number of the first line, from 1.
    let line: Int
    let text: String

    func fault(_ sentence: String, line: Int? = nil) -> TemplateFault {
        TemplateFault(file: file, line: line ?? self.line, sentence: sentence)
    }
}
