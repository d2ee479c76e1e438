package import ServiceRuntime

/// One row of a query's result, copied, so it may outlive the statement. Columns count from 0. A
/// wrong type or a missing column throws `SQLError` of kind `unexpectedValue` and never traps.
package struct SQLRow: Hashable, Sendable {
    /// The columns' values, in the order of the `SELECT`.
    package let values: [SQLValue]

    /// A row of these values.
    package init(_ values: [SQLValue]) { self.values = values }

    /// The integer in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func integer(_ column: Int) throws -> Int64 {
        try present(optionalInteger(column), column)
    }

    /// The integer in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalInteger(_ column: Int) throws -> Int64? {
        switch try value(column) {
        case .null: nil
        case .integer(let number): number
        default: throw unexpected(column, "an integer")
        }
    }

    /// The floating-point number in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func real(_ column: Int) throws -> Double {
        guard case .real(let number) = try value(column) else {
            throw unexpected(column, "a real")
        }
        return number
    }

    /// The text in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func text(_ column: Int) throws -> String {
        try present(optionalText(column), column)
    }

    /// The text in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalText(_ column: Int) throws -> String? {
        switch try value(column) {
        case .null: nil
        case .text(let text): text
        default: throw unexpected(column, "text")
        }
    }

    /// The bytes in `column`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func blob(_ column: Int) throws -> [UInt8] {
        try present(optionalBlob(column), column)
    }

    /// The bytes in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalBlob(_ column: Int) throws -> [UInt8]? {
        switch try value(column) {
        case .null: nil
        case .blob(let bytes): bytes
        default: throw unexpected(column, "a blob")
        }
    }

    /// The boolean in `column`, stored as 0 or 1.
    /// - Throws: `SQLError` of kind `unexpectedValue` for anything else.
    package func boolean(_ column: Int) throws -> Bool {
        switch try integer(column) {
        case 0: false
        case 1: true
        default: throw unexpected(column, "0 or 1")
        }
    }

    /// The timestamp in `column`, stored in milliseconds since 1970.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type, `NULL` or a missing column.
    package func timestamp(_ column: Int) throws -> Timestamp {
        Timestamp(milliseconds: try integer(column))
    }

    /// The timestamp in `column`, or nil for `NULL`.
    /// - Throws: `SQLError` of kind `unexpectedValue` for another type or a missing column.
    package func optionalTimestamp(_ column: Int) throws -> Timestamp? {
        try optionalInteger(column).map { Timestamp(milliseconds: $0) }
    }

    private func value(_ column: Int) throws -> SQLValue {
        guard values.indices.contains(column) else { throw unexpected(column, "a column") }
        return values[column]
    }

    private func present<Value>(_ value: Value?, _ column: Int) throws -> Value {
        guard let value else { throw unexpected(column, "a value") }
        return value
    }

    private func unexpected(_ column: Int, _ wanted: String) -> SQLError {
        SQLError(.unexpectedValue, detail: "column \(column) does not hold \(wanted)")
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
    /// Text, including any NUL characters.
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
