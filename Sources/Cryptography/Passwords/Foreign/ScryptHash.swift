/// An imported scrypt hash: `$scrypt$ln=17,r=8,p=1$salt$hash`, a PHC string with Base64 without
/// padding.
struct ScryptHash: Hashable, Sendable {
    let parameters: Scrypt.Parameters
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Throws: `PasswordHashError`.
    init(_ parts: HashTextParts) throws(PasswordHashError) {
        let numbers = try parts.numbers(["ln", "r", "p"], at: 1)
        guard parts.count == 4, numbers.count == 3 else { throw PasswordHashError(.malformed) }
        parameters = try Scrypt.Parameters(
            costLog: numbers[0], blockSize: numbers[1], lanes: numbers[2])
        salt = try parts.bytes(at: 2, ForeignHash.saltBytes)
        hash = try parts.bytes(at: 3, ForeignHash.hashBytes)
    }

    var text: String {
        "\(schemeName)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
    }

    var schemeName: String {
        "$scrypt$ln=\(parameters.costLog),r=\(parameters.blockSize),p=\(parameters.lanes)"
    }

    func matches(_ password: SecretBytes) throws -> Bool {
        let found = try Scrypt.derive(
            password, salt: salt, parameters: parameters, count: hash.count)
        return found.withBytes { constantTimeEqual($0, hash) }
    }
}
