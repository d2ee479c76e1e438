import CSQLite

/// One prepared statement, finalised in `deinit`. Its connection outlives it.
///
/// Each use is bind → step … → `reset`. `reset` also clears the bound values, so that no password
/// hash or address remains in a cached statement.
final class SQLiteStatement {
    private let statement: OpaquePointer
    private let connection: OpaquePointer
    /// The names of the result's columns.
    private let names: [String]
    /// From `bind` to `reset`.
    private(set) var isInUse = false
    /// The cache's use counter when the statement was last returned; set by the cache.
    var lastUse: UInt64 = 0

    /// Prepares the single statement in `sql` for many uses.
    init(_ sql: String, _ connection: OpaquePointer) throws {
        var prepared: OpaquePointer?
        var text = sql
        let (code, rest) = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    connection, characters.baseAddress, Int32(clamping: characters.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
                let used = tail.flatMap { end in characters.baseAddress.map { end - $0 } } ?? 0
                return (code, characters.dropFirst(used).contains { !Self.isSpace($0) })
            }
        }
        try SQLError.check(code, connection)
        guard let prepared, !rest else {
            sqlite3_finalize(prepared)
            throw SQLError(.misuse, detail: "expected exactly one statement: \(sql)")
        }
        statement = prepared
        self.connection = connection
        // Nil only when memory is exhausted.
        names = (0..<sqlite3_column_count(prepared)).map {
            sqlite3_column_name(prepared, $0).map { String(cString: $0) } ?? ""
        }
    }

    deinit {
        // Returns the last step's error again, which was thrown when it happened.
        sqlite3_finalize(statement)
    }

    /// Begins a use: binds every parameter.
    func bind(_ values: [SQLValue]) throws {
        isInUse = true
        let wanted = Int(sqlite3_bind_parameter_count(statement))
        guard values.count == wanted else {
            throw SQLError(.misuse, detail: "\(values.count) values for \(wanted) parameters")
        }
        for (offset, value) in values.enumerated() {
            try SQLError.check(bind(value, at: Int32(offset + 1)), connection)
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number):
            guard !number.isNaN else { return SQLITE_MISUSE }
            return sqlite3_bind_double(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                // PostgreSQL refuses NUL.
                guard !bytes.contains(0) else { return SQLITE_MISUSE }
                return bytes.withMemoryRebound(to: CChar.self) {
                    csqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes {
                csqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    /// Advances to the next row.
    /// - Returns: whether there is one.
    func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLError.sqlite(code, connection)
        }
    }

    /// A copy of the current row.
    func row() throws -> SQLRow {
        SQLRow(try names.indices.map { try value(Int32($0)) }, names: names)
    }

    private func value(_ column: Int32) throws -> SQLValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            // The pointer first, then the count: in the other order the count may be that of
            // another encoding.
            let bytes = UnsafeRawPointer(sqlite3_column_text(statement, column))
            guard let text = String(validating: held(bytes, column), as: UTF8.self) else {
                throw SQLError(.corrupt, detail: "text in column \(column) is not UTF-8")
            }
            return .text(text)
        default:
            return .blob([UInt8](held(sqlite3_column_blob(statement, column), column)))
        }
    }

    private func held(_ bytes: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        let count = Int(sqlite3_column_bytes(statement, column))
        return UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
    }

    /// Ends this use and clears the bound values.
    func reset() {
        // Returns the last step's error again, which was thrown when it happened.
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        isInUse = false
    }

    private static func isSpace(_ character: CChar) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D, 0x3B].contains(character)
    }
}

/// SQLite's result codes. Source: https://www.sqlite.org/rescode.html
extension SQLError {
    /// The error for `code` (primary or extended), with the connection's message.
    static func sqlite(_ code: Int32, _ connection: OpaquePointer?) -> SQLError {
        let words = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        let text = words.map { String(cString: $0) } ?? "no message"
        return SQLError(kind(code), detail: "\(text) (\(code))")
    }

    /// Throws unless `code` is `SQLITE_OK`.
    static func check(_ code: Int32, _ connection: OpaquePointer?) throws {
        guard code == SQLITE_OK else { throw sqlite(code, connection) }
    }

    private static func kind(_ code: Int32) -> Kind {
        // The low byte is the primary code; the rest extends it.
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN: .inputOutput
        case SQLITE_CONSTRAINT: .constraint(constraint(code))
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_MISUSE, SQLITE_RANGE, SQLITE_ERROR: .misuse
        default: .other
        }
    }

    private static func constraint(_ code: Int32) -> Constraint {
        switch code >> 8 {
        case 6, 8, 10: .unique  // PRIMARYKEY, UNIQUE, ROWID
        case 5: .notNull
        case 1: .check
        case 3: .foreignKey
        case 12: .type
        default: .other
        }
    }
}
