package import ServiceRuntime

/// The kinds of records that a reader of an audit trail wants: kinds, `session.started`, and
/// prefixes, `session.*`.
package struct AuditKinds: Hashable, Sendable {
    /// Patterns of one reader. Each is compared with every record that is read.
    package static let patternsMax = 16
    /// In bytes: longer than any kind.
    private static let patternBytesMax = 64

    private let patterns: [String]

    /// All kinds.
    package static let all = AuditKinds()

    private init() { patterns = [] }

    /// The patterns of a request's field `kinds`; without one all kinds.
    /// - Throws: `rpc/invalid-argument` for too many patterns, for an empty one, and for one that
    ///   is longer than any kind.
    package init(_ patterns: [String]) throws(ServiceError) {
        let isValid = patterns.allSatisfy { (1...Self.patternBytesMax).contains($0.utf8.count) }
        guard patterns.count <= Self.patternsMax, isValid else {
            throw ServiceError(.invalidArgument, fields: ["kinds"])
        }
        self.patterns = patterns
    }

    /// These kinds.
    package init(_ kinds: Set<AuditKind>) { patterns = kinds.map(\.rawValue) }

    /// Whether a reader wants all kinds.
    package var areAll: Bool { patterns.isEmpty }

    /// Whether a reader wants a record of this kind.
    package func contains(_ kind: String) -> Bool {
        areAll || patterns.contains { AuditKind.matches($0, kind) }
    }
}
