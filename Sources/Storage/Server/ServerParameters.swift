import CPostgreSQL

/// The parameters of one statement in PostgreSQL's binary form: one buffer, to which libpq's
/// pointers point.
struct ServerParameters {
    private var bytes: [UInt8] = []
    /// -1 for `NULL`.
    private var lengths: [Int32] = []

    /// The values in the form of the statement's types.
    /// - Throws: `SQLError` of kind `misuse`, or as `ServerType.append`.
    init(_ values: [SQLValue], as types: [UInt32]) throws {
        guard values.count == types.count else {
            throw SQLError(
                .misuse, detail: "\(values.count) values for \(types.count) parameters")
        }
        bytes.reserveCapacity(256)
        lengths.reserveCapacity(values.count)
        for (value, type) in zip(values, types) {
            let start = bytes.count
            try ServerType.append(value, as: type, to: &bytes)
            lengths.append(value == .null ? -1 : Int32(bytes.count - start))
        }
        // So that the buffer has an address, whatever it holds.
        bytes.append(0)
    }

    /// Appends the call of a prepared statement to what the connection sends.
    /// - Returns: false if the connection is over.
    func send(to statement: String, _ connection: OpaquePointer) -> Bool {
        let formats = [Int32](repeating: 1, count: lengths.count)
        return bytes.withUnsafeBytes { buffer in
            var next = buffer.bindMemory(to: CChar.self).baseAddress
            let pointers = lengths.map { length -> UnsafePointer<CChar>? in
                guard length >= 0 else { return nil }
                defer { next = next.map { $0 + Int(length) } }
                return next
            }
            return PQsendQueryPrepared(
                connection, statement, Int32(lengths.count), pointers, lengths, formats, 1) == 1
        }
    }
}
