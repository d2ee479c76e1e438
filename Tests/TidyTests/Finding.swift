import Testing

/// One place that breaks a rule.
struct Finding: Hashable, CustomStringConvertible {
    /// The file, from the root of the checkout.
    let path: String
    /// Counted from 1.
    let line: Int
    /// What is wrong.
    let complaint: String

    var description: String { "\(path):\(line): \(complaint)" }
}

/// Records every finding, so that one run tells all mistakes.
func expectNone(
    _ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation
) {
    for finding in findings {
        Issue.record(Comment(rawValue: finding.description), sourceLocation: sourceLocation)
    }
}
