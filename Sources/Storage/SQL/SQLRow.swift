package import ServiceRuntime

/// One row of a query's result, copied, so it may outlive the statement. A wrong type or a missing
/// column throws `SQLError` of kind `unexpectedValue` and never traps.
///
/// A row of three columns and more is read by their names: a type that several queries read has its
/// columns in `columns`, beside the `init` that reads them.
package struct SQLRow: Hashable, Sendable {
    /// The columns' values, in the order of the `SELECT`.
    package let values: [SQLValue]
    private let names: [String]

    /// A row of these values, with the columns' names in the same order.
    package init(_ values: [SQLValue], names: [String]) {
        self.values = values
        self.names = names
    }

    /// The integer in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func integer(_ column: SQLColumn) throws -> Int64 {
        try present(optionalInteger(column), column)
    }

    /// The integer in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalInteger(_ column: SQLColumn) throws -> Int64? {
        switch try value(column) {
        case .null: nil
        case .integer(let number): number
        default: throw unexpected(column, "an integer")
        }
    }

    /// The text in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func text(_ column: SQLColumn) throws -> String {
        try present(optionalText(column), column)
    }

    /// The text in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalText(_ column: SQLColumn) throws -> String? {
        switch try value(column) {
        case .null: nil
        case .text(let text): text
        default: throw unexpected(column, "text")
        }
    }

    /// The bytes in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func blob(_ column: SQLColumn) throws -> [UInt8] {
        try present(optionalBlob(column), column)
    }

    /// The bytes in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalBlob(_ column: SQLColumn) throws -> [UInt8]? {
        switch try value(column) {
        case .null: nil
        case .blob(let bytes): bytes
        default: throw unexpected(column, "a blob")
        }
    }

    /// The boolean in `column`, stored as 0 or 1.
    /// - Throws: `SQLError` of kind `unexpectedValue` for anything else.
    package func boolean(_ column: SQLColumn) throws -> Bool {
        switch try integer(column) {
        case 0: false
        case 1: true
        default: throw unexpected(column, "0 or 1")
        }
    }

    /// The timestamp in `column`, stored in milliseconds since 1970.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func timestamp(_ column: SQLColumn) throws -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    /// The timestamp in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalTimestamp(_ column: SQLColumn) throws -> Timestamp? {
        try optionalInteger(column).map { Timestamp(milliseconds: $0) }
    }

    private func value(_ column: SQLColumn) throws -> SQLValue {
        let index =
            switch column {
            case .name(let name): names.firstIndex(of: name) ?? -1
            case .position(let position): position
            }
        guard values.indices.contains(index) else {
            throw SQLError(.unexpectedValue, detail: "there is no column \(column)")
        }
        return values[index]
    }

    private func present<Value>(_ value: Value?, _ column: SQLColumn) throws -> Value {
        guard let value else { throw unexpected(column, "a value") }
        return value
    }

    private func unexpected(_ column: SQLColumn, _ wanted: String) -> SQLError {
        SQLError(.unexpectedValue, detail: "column \(column) does not hold \(wanted)")
    }
}

/// A column of a row, written as a literal: `"at_ms"` or `0`.
package enum SQLColumn: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
{
    /// The name of a table's column, without the table, or the name after `AS`, which any other
    /// expression needs.
    case name(String)
    /// Its place in the `SELECT`, from 0.
    case position(Int)

    /// The column with this name.
    package init(stringLiteral name: String) { self = .name(name) }

    /// The column at this position.
    package init(integerLiteral position: Int) { self = .position(position) }

    package var description: String {
        switch self {
        case .name(let name): name
        case .position(let position): "\(position)"
        }
    }
}

/// One value of a statement's parameters or a result row, unchanged byte for byte.
package enum SQLValue: Hashable, Sendable {
    /// `NULL`.
    case null
    /// An integer; also a boolean (0, 1) or a timestamp (milliseconds since 1970).
    case integer(Int64)
    /// A floating-point number; never NaN, which SQLite would turn into `NULL`.
    case real(Double)
    /// Text without NUL, which PostgreSQL cannot hold; text with NUL is refused as misuse. Messages
    /// contain none (`MessageError.invalidText`).
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// The integer, or `null`.
    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    /// The text, or `null`.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// The bytes, or `null`.
    package init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }

    /// The timestamp in milliseconds since 1970, or `null`.
    package init(_ moment: Timestamp?) { self.init(moment?.milliseconds) }

    /// 1 or 0.
    package init(_ truth: Bool) { self = .integer(truth ? 1 : 0) }
}
