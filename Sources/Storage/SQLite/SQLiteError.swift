import CSQLite

/// Maps SQLite's result codes to `SQLError`. Source: https://www.sqlite.org/rescode.html
enum SQLiteError {
    /// The error for `code` (primary or extended), with the connection's message.
    static func from(_ code: Int32, _ connection: OpaquePointer?) -> SQLError {
        let words = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        let text = words.map { String(cString: $0) } ?? "no message"
        return SQLError(kind(code), detail: "\(text) (\(code))")
    }

    /// Throws unless `code` is `SQLITE_OK`.
    static func check(_ code: Int32, _ connection: OpaquePointer?) throws {
        guard code == SQLITE_OK else { throw from(code, connection) }
    }

    private static func kind(_ code: Int32) -> SQLError.Kind {
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

    private static func constraint(_ code: Int32) -> SQLConstraint {
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
