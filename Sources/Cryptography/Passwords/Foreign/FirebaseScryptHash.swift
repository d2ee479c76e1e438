/// A hash in Firebase's format, which Firebase calls modified scrypt:
///
///     key  = scrypt(password, salt ‖ separator, N = 2^memory cost, r = rounds, p = 1), 32 bytes
///     hash = AES-256-CTR(signer key of the project) under that key, from a counter of zero
///
/// Source: https://github.com/firebase/scrypt. Stored as `$firebase-scrypt$m=14,r=8$k=1$salt$hash`,
/// Base64 without padding, where k is the id of the project's parameters in the store.
struct FirebaseScryptHash: Hashable, Sendable {
    let parameters: Scrypt.Parameters
    let project: Int64
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Throws: `PasswordHashError`.
    init(_ parts: HashTextParts) throws(PasswordHashError) {
        let costs = try parts.numbers(["m", "r"], at: 1)
        let project = try parts.numbers(["k"], at: 2)
        guard parts.count == 5, costs.count == 2, project.count == 1, project[0] > 0 else {
            throw PasswordHashError(.malformed)
        }
        parameters = try Scrypt.Parameters(costLog: costs[0], blockSize: costs[1], lanes: 1)
        self.project = Int64(project[0])
        salt = try parts.bytes(at: 3, ForeignHash.saltBytes)
        hash = try parts.bytes(at: 4, FirebaseProject.signerKeyBytes)
    }

    var text: String {
        "\(schemeName)$k=\(project)$\(Base64.encodeUnpadded(salt))"
            + "$\(Base64.encodeUnpadded(hash))"
    }

    var schemeName: String {
        "$firebase-scrypt$m=\(parameters.costLog),r=\(parameters.blockSize)"
    }

    func matches(_ password: SecretBytes, of project: FirebaseProject) throws -> Bool {
        let key = try Scrypt.derive(
            password, salt: salt + project.saltSeparator, parameters: parameters, count: 32)
        var found = try AESCTR.encrypt(project.signerKey, key: key)
        defer { wipe(&found) }
        return constantTimeEqual(found, hash)
    }
}
