import Testing

/// One place that breaks a rule.
struct Finding: Hashable, CustomStringConvertible {
    /// The file, from the root of the checkout.
    let path: String
    /// Counted from 1.
    let line: Int
    /// The rule that is broken, and how.
    let complaint: String

    var description: String { "\(path):\(line): \(complaint)" }
}

/// Records every finding, so that one run reports all of them.
func expectNone(
    _ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation
) {
    for finding in findings {
        Issue.record(Comment(rawValue: finding.description), sourceLocation: sourceLocation)
    }
}
