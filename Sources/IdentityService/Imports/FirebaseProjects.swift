import Cryptography
import ServiceRuntime
import Storage

/// The parameters that all password hashes of a Firebase project share. They are stored once,
/// sealed, and a million accounts refer to them.
struct FirebaseProjects: Sendable {
    let parts: IdentityParts

    /// The parameters with an id; nil if there are none.
    func project(_ id: Int64) async throws -> FirebaseProject? {
        guard let sealed = try await parts.store.read({ try $0.hashParameters(id) }) else {
            return nil
        }
        return try open(sealed, id)
    }

    /// All stored parameters by id.
    func all() async throws -> [Int64: FirebaseProject] {
        let rows = try await parts.store.read { try $0.allHashParameters() }
        return try Dictionary(
            uniqueKeysWithValues: rows.map { ($0.id, try open($0.sealed, $0.id)) })
    }

    /// Stores a project's parameters, unless they are stored already.
    /// - Returns: their id.
    func keep(_ project: FirebaseProject) async throws -> Int64 {
        let text = Self.text(project)
        let lookUpKey = text.withBytes { bytes in
            parts.keys.identities.lookUpKey(Array("hash parameters\0".utf8) + bytes)
        }
        // The id is a small number, because every hash contains it.
        return try await parts.store.write { transaction in
            if let id = try transaction.hashParameters(lookUpKey: lookUpKey) { return id }
            let id = try transaction.nextHashParameters()
            let sealed = try parts.keys.accounts.seal(text, at: Self.place(id))
            try transaction.insertHashParameters(id, lookUpKey: lookUpKey, sealed: sealed)
            return id
        }
    }

    private func open(_ sealed: [UInt8], _ id: Int64) throws -> FirebaseProject {
        let text = try parts.keys.accounts.openSecret(sealed, at: Self.place(id))
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
