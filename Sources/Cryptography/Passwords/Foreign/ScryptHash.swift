import COpenSSL

/// An imported scrypt hash: `$scrypt$ln=17,r=8,p=1$salt$hash`, a PHC string with Base64 without
/// padding.
struct ScryptHash: Hashable, Sendable {
    let parameters: Parameters
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Throws: `PasswordHashError`.
    init(_ parts: ForeignHash.TextParts) throws(PasswordHashError) {
        let numbers = try parts.numbers(["ln", "r", "p"], at: 1)
        guard parts.count == 4, numbers.count == 3 else { throw PasswordHashError.malformed }
        parameters = try Parameters(
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
        let found = try Self.derive(
            password, salt: salt, parameters: parameters, count: hash.count)
        return found.withBytes { constantTimeEqual($0, hash) }
    }

    /// The cost of a hash.
    struct Parameters: Hashable, Sendable {
        /// The base-2 logarithm of N.
        let costLog: Int
        /// r: the block size, in units of 128 bytes.
        let blockSize: Int
        /// p: the parallelism. The parts are computed one after another.
        let lanes: Int

        /// - Throws: `PasswordHashError` with `.tooCostly`, or `.malformed` for values that RFC
        ///   7914 forbids.
        init(costLog: Int, blockSize: Int, lanes: Int) throws(PasswordHashError) {
            guard costLog >= 1, blockSize >= 1, lanes >= 1 else {
                throw PasswordHashError.malformed
            }
            // Checked before the values are multiplied.
            guard costLog <= 24, blockSize <= 1_024, lanes <= 1_024 else {
                throw PasswordHashError.tooCostly
            }
            // N < 2^(128 · r / 8), RFC 7914, section 6. OpenSSL rejects other values.
            guard costLog < 16 * blockSize else { throw PasswordHashError.malformed }
            self.costLog = costLog
            self.blockSize = blockSize
            self.lanes = lanes
            try cost.requireAllowed()
        }

        var cost: ForeignHash.Cost {
            let blocks = blockSize << costLog
            // 470 ms for N = 2¹⁷, r = 8 on the reference core (`ForeignHash.Cost`): 0.45 µs per
            // block.
            return ForeignHash.Cost(
                memoryBytes: 128 * blocks, microseconds: blocks * lanes / 100 * 45)
        }
    }

    /// Derives `count` bytes from a password by scrypt (RFC 7914), which OpenSSL computes in memory
    /// that it wipes.
    /// - Throws: `CryptographyError`.
    static func derive(
        _ password: SecretBytes, salt: [UInt8], parameters: Parameters, count: Int
    ) throws -> SecretBytes {
        try SecretBytes(count: count) { output in
            let isDone = password.withBytes { password in
                EVP_PBE_scrypt(
                    password.bindMemory(to: CChar.self).baseAddress, password.count, salt,
                    salt.count, 1 << UInt64(parameters.costLog), UInt64(parameters.blockSize),
                    UInt64(parameters.lanes),
                    // OpenSSL's own estimate is slightly above ours.
                    UInt64(2 * ForeignHash.Cost.memoryBytesMax),
                    output.bindMemory(to: UInt8.self).baseAddress, count)
            }
            guard isDone == 1 else { throw CryptographyError.library("scrypt") }
        }
    }
}
