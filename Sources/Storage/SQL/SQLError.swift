/// An error of a store's engine. `detail` names tables and columns, never values, and is for the
/// log.
package struct SQLError: Error, Hashable, Sendable {
    /// The kind of error, independent of the engine.
    package enum Kind: Hashable, Sendable {
        /// Another connection holds the lock for longer than the busy timeout.
        case busy
        /// The disk, or the database's own size limit, is full.
        case full
        /// The file or its file system is read-only.
        case readOnly
        /// The server cannot be reached, or it is unknown whether it committed.
        case unreachable
        /// An input or output error of the disk.
        case inputOutput
        /// A constraint of the schema rejects this row.
        case constraint(SQLError.Constraint)
        /// The file is not a database or is damaged.
        case corrupt
        /// A row does not hold the value or type that the query expects.
        case unexpectedValue
        /// The statement, or its use, is wrong: a bug in this program.
        case misuse
        /// Any other error; see `detail`.
        case other
    }

    /// The kind of error.
    package let kind: Kind
    /// For the operator's log.
    package let detail: String

    /// An error of `kind`.
    package init(_ kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// - Throws: `SQLError` of kind `unexpectedValue` if a statement has to change so many rows, and
    ///   has changed others.
    static func require(_ wanted: Int?, changed: Int, by sql: String) throws {
        guard let wanted, changed != wanted else { return }
        throw SQLError(
            .unexpectedValue, detail: "\(changed) rows changed, expected \(wanted): \(sql)")
    }

    /// Which constraint a row violates.
    package enum Constraint: Hashable, Sendable {
        /// Another row has this key already (a unique index or the primary key).
        case unique
        /// A column that must have a value has none.
        case notNull
        /// A `CHECK` constraint fails.
        case check
        /// The referenced row does not exist, or the row is still referenced.
        case foreignKey
        /// A value of the wrong type in a `STRICT` table.
        case type
        /// Any other constraint.
        case other
    }
}

extension SQLError: CustomStringConvertible {
    /// For logs; contains no type name.
    package var description: String { "\(kind.word): \(detail)" }
}

extension SQLError.Kind {
    /// The kind as a log names it.
    var word: String {
        switch self {
        case .busy: "busy"
        case .full: "disk full"
        case .readOnly: "read-only"
        case .unreachable: "server unreachable"
        case .inputOutput: "disk failure"
        case .constraint: "constraint"
        case .corrupt: "corrupt"
        case .unexpectedValue: "unexpected value"
        case .misuse: "misuse"
        case .other: "error"
        }
    }
}
