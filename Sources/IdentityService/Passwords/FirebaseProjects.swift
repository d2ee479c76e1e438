package import Cryptography
import ServiceRuntime
package import Storage

/// The parameters that all password hashes of a Firebase project share. They are stored once,
/// sealed, and a million accounts refer to them.
package struct FirebaseProjects: Sendable {
    /// Where they are stored.
    let store: Store
    /// The keys that seal them, and find them again.
    let keys: IdentityKeys

    /// The parameters in one store.
    package init(store: Store, keys: IdentityKeys) {
        self.store = store
        self.keys = keys
    }

    /// The parameters with an id; nil if there are none.
    func project(_ id: Int64) async throws -> FirebaseProject? {
        guard let sealed = try await store.read({ try $0.hashParameters(id) }) else {
            return nil
        }
        return try open(sealed, id)
    }

    /// All stored parameters by id.
    /// - Throws: `SQLError`; if parameters do not decrypt.
    package func all() async throws -> [Int64: FirebaseProject] {
        let rows = try await store.read { try $0.allHashParameters() }
        return try Dictionary(
            uniqueKeysWithValues: rows.map { ($0.id, try open($0.sealed, $0.id)) })
    }

    /// Stores a project's parameters, unless they are stored already.
    /// - Returns: their id.
    /// - Throws: `SQLError`; when sealing fails.
    package func keep(_ project: FirebaseProject) async throws -> Int64 {
        let text = Self.text(project)
        let lookUpKey = text.withBytes { bytes in
            keys.identities.lookUpKey(Array("hash parameters\0".utf8) + bytes)
        }
        // The id is a small number, because every hash contains it.
        return try await store.write(about: [.table("hash_parameters")]) { transaction in
            if let id = try transaction.hashParameters(lookUpKey: lookUpKey) { return id }
            let id = try transaction.nextHashParameters()
            let sealed = try keys.accounts.seal(text, at: Self.place(id))
            try transaction.insertHashParameters(id, lookUpKey: lookUpKey, sealed: sealed)
            return id
        }
    }

    private func open(_ sealed: [UInt8], _ id: Int64) throws -> FirebaseProject {
        let text = try keys.accounts.openSecret(sealed, at: Self.place(id))
        return try text.withBytes { bytes in
            guard let count = bytes.first.map(Int.init), bytes.count > count else {
                throw ServiceError(.internalError, detail: "hash parameters are malformed")
            }
            return try FirebaseProject(
                signerKey: SecretBytes(copying: bytes[(1 + count)...]),
                saltSeparator: Array(bytes[1..<(1 + count)]))
        }
    }

    /// The serialised form: the separator's length in one byte, the separator, the signer key.
    private static func text(_ project: FirebaseProject) -> SecretBytes {
        let separator = project.saltSeparator
        return SecretBytes(count: 1 + separator.count + project.signerKey.count) { output in
            output[0] = UInt8(separator.count)
            UnsafeMutableRawBufferPointer(rebasing: output[1...]).copyBytes(from: separator)
            project.signerKey.withBytes { key in
                UnsafeMutableRawBufferPointer(rebasing: output[(1 + separator.count)...])
                    .copyBytes(from: key)
            }
        }
    }

    private static func place(_ id: Int64) -> SealedPlace {
        SealedPlace(table: "hash_parameters", column: "sealed", row: id)
    }
}

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
        try put(
            """
            INSERT INTO hash_parameters (parameters, look_up_key, sealed, kept_at_ms)
            VALUES (?, ?, ?, ?)
            """, [.integer(id), .blob(lookUpKey), .blob(sealed), SQLValue(at)])
    }
}
