import COpenSSL

/// scrypt (RFC 7914) through OpenSSL, which allocates the memory for each hash and wipes it.
enum Scrypt {
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
                throw PasswordHashError(.malformed)
            }
            // Checked before the values are multiplied.
            guard costLog <= 24, blockSize <= 1_024, lanes <= 1_024 else {
                throw PasswordHashError(.tooCostly)
            }
            // N < 2^(128 · r / 8), RFC 7914, section 6. OpenSSL rejects other values.
            guard costLog < 16 * blockSize else { throw PasswordHashError(.malformed) }
            self.costLog = costLog
            self.blockSize = blockSize
            self.lanes = lanes
            try cost.requireAllowed()
        }

        var cost: HashCost {
            let blocks = blockSize << costLog
            // 470 ms for N = 2¹⁷, r = 8 on the reference core (`HashCost`): 0.45 µs per block.
            return HashCost(
                memoryBytes: 128 * blocks, microseconds: blocks * lanes / 100 * 45)
        }
    }

    /// Derives `count` bytes from a password.
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
                    UInt64(2 * HashCost.memoryBytesMax),
                    output.bindMemory(to: UInt8.self).baseAddress, count)
            }
            guard isDone == 1 else { throw CryptographyError.library("scrypt") }
        }
    }
}
