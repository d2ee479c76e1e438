/// An error in a template, with what its author needs to find and fix it.
package struct TemplateFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as the operator named it.
    package let file: String
    /// From 1; 0 for the whole file.
    package let line: Int
    /// The error, and what is allowed instead.
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
