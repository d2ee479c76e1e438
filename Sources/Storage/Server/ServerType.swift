import CPostgreSQL
import Cryptography

/// PostgreSQL's types that `SQLValue` is sent and read in, by their numbers in `pg_type`, which
/// never change. All travel in their binary form.
enum ServerType {
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    private static let short: UInt32 = 21
    private static let word: UInt32 = 23
    private static let double: UInt32 = 701
    private static let texts: Set<UInt32> = [18, 19, 25, 1_042, 1_043]
    private static let arrays: Set<UInt32> = [1_000, 1_016]
    private static let void: UInt32 = 2_278

    /// Appends a parameter in the form of its type; nothing for `NULL`.
    /// - Throws: `SQLError`: `misuse` for a value that PostgreSQL cannot hold, and the constraint
    ///   that SQLite's strict tables have for one of another type.
    static func append(_ value: SQLValue, as type: UInt32, to parameters: inout [UInt8]) throws {
        switch (value, type) {
        case (.null, _): return
        case (.integer(let number), integer): return parameters.append(bigEndian: number)
        case (.integer(let number), word):
            if let word = Int32(exactly: number) { return parameters.append(bigEndian: word) }
        case (.integer(let number), short):
            if let short = Int16(exactly: number) { return parameters.append(bigEndian: short) }
        case (.integer(let number), boolean): return parameters.append(number == 0 ? 0 : 1)
        case (.integer(let number), double):
            return parameters.append(bigEndian: Double(number).bitPattern)
        case (.real(let number), double):
            guard !number.isNaN else { throw SQLError(.misuse, detail: "a number is NaN") }
            return parameters.append(bigEndian: number.bitPattern)
        case (.text(let text), let type) where texts.contains(type):
            guard !text.utf8.contains(0) else {
                throw SQLError(.misuse, detail: "a text has NUL")
            }
            return parameters.append(contentsOf: text.utf8)
        case (.blob(let value), let type) where type == bytes || arrays.contains(type):
            return parameters.append(contentsOf: value)
        default: break
        }
        throw SQLError(.constraint(.type), detail: "a parameter of type \(type) has another")
    }

    /// A value of a result's row.
    /// - Throws: `SQLError` of kind `unexpectedValue` for a type that `SQLValue` does not have.
    static func decoded(_ bytes: UnsafeRawBufferPointer, as type: UInt32) throws -> SQLValue {
        switch type {
        case integer, word, short, boolean: return .integer(number(bytes))
        case Self.bytes: return .blob(Array(bytes))
        case double: return .real(Double(bitPattern: UInt64(bitPattern: number(bytes))))
        case void: return .null
        case _ where texts.contains(type): return .text(String(decoding: bytes, as: UTF8.self))
        default:
            throw SQLError(.unexpectedValue, detail: "a column has the type \(type): CAST it")
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        guard let first = bytes.first else { return 0 }
        // The sign is the first bit of the first byte; that of a boolean is never set.
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }
}

/// A result of the server, freed in `deinit`.
final class ServerResult {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var status: ExecStatusType { PQresultStatus(handle) }

    /// The first words of what was done: `SELECT 3`, `COMMIT`.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    /// Rows that the statement inserted, changed or deleted.
    var changes: Int {
        if command.hasPrefix("SELECT") { return 0 }
        return PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The types of a described statement's parameters.
    var parameterTypes: [UInt32] { (0..<PQnparams(handle)).map { PQparamtype(handle, $0) } }

    /// The error that it reports; nil for a success.
    var failure: ServerFailure? {
        guard status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE else { return nil }
        let state = cpostgresql_sqlstate(handle).map { String(cString: $0) } ?? ""
        let message =
            (cpostgresql_message(handle) ?? PQresultErrorMessage(handle).map { UnsafePointer($0) })
            .map { String(cString: $0) } ?? "no message"
        return ServerFailure(sqlState: state, message: message)
    }

    /// The names of a described statement's columns.
    var columns: [String] {
        (0..<PQnfields(handle)).map { PQfname(handle, $0).map { String(cString: $0) } ?? "" }
    }

    /// The rows of a statement with columns of these names.
    /// - Throws: `SQLError` of kind `unexpectedValue`.
    func rows(_ names: [String]) throws -> [SQLRow] {
        let columns = 0..<PQnfields(handle)
        let types = columns.map { PQftype(handle, $0) }
        return try (0..<PQntuples(handle)).map { row in
            let values = try zip(columns, types).map { column, type in
                guard PQgetisnull(handle, row, column) == 0 else { return SQLValue.null }
                let bytes = UnsafeRawBufferPointer(
                    start: PQgetvalue(handle, row, column),
                    count: Int(PQgetlength(handle, row, column)))
                return try ServerType.decoded(bytes, as: type)
            }
            return SQLRow(values, names: names)
        }
    }
}
