/// What a store's engine refused or could not do. `detail` names tables and columns, never values,
/// and is for the log.
package struct SQLError: Error, Hashable, Sendable {
    /// What happened, independent of the engine.
    package enum Kind: Hashable, Sendable {
        /// Somebody else holds the lock, longer than the busy timeout.
        case busy
        /// The disk, or the database's own limit, is full.
        case full
        /// The file or its file system cannot be written.
        case readOnly
        /// The disk failed.
        case inputOutput
        /// A rule of the schema forbids this row.
        case constraint(SQLConstraint)
        /// The file is not what the engine wrote.
        case corrupt
        /// A row does not hold what its reader asked for.
        case unexpectedValue
        /// The statement, or the way it was used, is wrong: our fault.
        case misuse
        /// Anything else; `detail` tells.
        case other
    }

    /// What happened.
    package let kind: Kind
    /// For the operator's log.
    package let detail: String

    /// An error of `kind`.
    package init(_ kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

extension SQLError: CustomStringConvertible {
    /// For logs; no name of a type is in it.
    package var description: String { "\(kind.word): \(detail)" }
}

extension SQLError.Kind {
    /// The kind as a log names it.
    var word: String {
        switch self {
        case .busy: "busy"
        case .full: "disk full"
        case .readOnly: "read-only"
        case .inputOutput: "disk failure"
        case .constraint: "constraint"
        case .corrupt: "corrupt"
        case .unexpectedValue: "unexpected value"
        case .misuse: "misuse"
        case .other: "error"
        }
    }
}

/// Which rule of the schema a row broke.
package enum SQLConstraint: Hashable, Sendable {
    /// Another row has this key already (a unique index or the primary key).
    case unique
    /// A column that must have a value has none.
    case notNull
    /// A `CHECK` says no.
    case check
    /// The row that is referred to is not there, or is still referred to.
    case foreignKey
    /// A value of the wrong type in a `STRICT` table.
    case type
    /// Another rule.
    case other
}
