import Storage

extension SQLSession {
    /// Sealed hash parameters by id.
    func hashParameters(_ id: Int64) throws -> [UInt8]? {
        try queryOne(
            "SELECT sealed FROM hash_parameters WHERE parameters = ?", [.integer(id)]
        ) { try $0.blob(0) }
    }

    /// The id of stored hash parameters by their keyed hash.
    func hashParameters(lookUpKey: [UInt8]) throws -> Int64? {
        try queryOne(
            "SELECT parameters FROM hash_parameters WHERE look_up_key = ?", [.blob(lookUpKey)]
        ) { try $0.integer(0) }
    }

    /// All stored hash parameters: one row for each project that was ever imported.
    func allHashParameters() throws -> [(id: Int64, sealed: [UInt8])] {
        try query("SELECT parameters, sealed FROM hash_parameters ORDER BY parameters") {
            (id: try $0.integer(0), sealed: try $0.blob(1))
        }
    }

    /// The next free id.
    func nextHashParameters() throws -> Int64 {
        try queryOne("SELECT coalesce(max(parameters), 0) + 1 FROM hash_parameters") {
            try $0.integer(0)
        } ?? 1
    }
}

extension Transaction {
    /// Inserts hash parameters.
    func insertHashParameters(_ id: Int64, lookUpKey: [UInt8], sealed: [UInt8]) throws {
        try execute(
            """
            INSERT INTO hash_parameters (parameters, look_up_key, sealed, kept_at_ms)
            VALUES (?, ?, ?, ?)
            """, [.integer(id), .blob(lookUpKey), .blob(sealed), SQLValue(at)])
    }
}
