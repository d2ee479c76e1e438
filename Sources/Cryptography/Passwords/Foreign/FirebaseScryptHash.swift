import COpenSSL

/// A hash in Firebase's format, which Firebase calls modified scrypt:
///
///     key  = scrypt(password, salt ‖ separator, N = 2^memory cost, r = rounds, p = 1), 32 bytes
///     hash = AES-256-CTR(signer key of the project) under that key, from a counter of zero
///
/// Source: https://github.com/firebase/scrypt. Stored as `$firebase-scrypt$m=14,r=8$k=1$salt$hash`,
/// Base64 without padding, where k is the id of the project's parameters in the store.
struct FirebaseScryptHash: Hashable, Sendable {
    /// The size of a key of AES-256.
    private static let keyBytes = 32

    let parameters: ScryptHash.Parameters
    let project: Int64
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Throws: `PasswordHashError`.
    init(_ parts: ForeignHash.TextParts) throws(PasswordHashError) {
        let costs = try parts.numbers(["m", "r"], at: 1)
        let project = try parts.numbers(["k"], at: 2)
        guard parts.count == 5, costs.count == 2, project.count == 1, project[0] > 0 else {
            throw PasswordHashError.malformed
        }
        parameters = try ScryptHash.Parameters(costLog: costs[0], blockSize: costs[1], lanes: 1)
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
        let key = try ScryptHash.derive(
            password, salt: salt + project.saltSeparator, parameters: parameters,
            count: Self.keyBytes)
        var found = try Self.encrypt(project.signerKey, key: key)
        defer { wipe(&found) }
        return constantTimeEqual(found, hash)
    }

    /// AES-256 in counter mode with an initial counter of zero, under a key that is used only once.
    /// Only Firebase's hashes may use it, since it does not authenticate the text.
    /// - Throws: `CryptographyError`.
    private static func encrypt(_ plaintext: SecretBytes, key: SecretBytes) throws -> [UInt8] {
        precondition(key.count == keyBytes, "an AES-256 key has 32 bytes")
        let counter = [UInt8](repeating: 0, count: 16)
        guard let context = EVP_CIPHER_CTX_new(), let count = Int32(exactly: plaintext.count)
        else { throw CryptographyError.library("cipher") }
        defer { EVP_CIPHER_CTX_free(context) }
        let isReady = key.withBytes { key in
            EVP_CipherInit_ex2(
                context, Algorithms.aes256CTR, key.bindMemory(to: UInt8.self).baseAddress,
                counter, 1, nil)
        }
        guard isReady == 1 else { throw CryptographyError.library("cipher") }
        return try [UInt8](unsafeUninitializedCapacity: plaintext.count) { output, filled in
            var written: Int32 = 0
            let isDone = plaintext.withBytes { plaintext in
                EVP_CipherUpdate(
                    context, output.baseAddress, &written,
                    plaintext.bindMemory(to: UInt8.self).baseAddress, count)
            }
            guard isDone == 1, written == count else { throw CryptographyError.library("cipher") }
            filled = plaintext.count
        }
    }
}

/// The parameters that all passwords of one Firebase project share. They are stored once, sealed,
/// and each hash refers to them.
package struct FirebaseProject: Sendable {
    /// The allowed sizes of a signer key, in bytes. Firebase uses 64. A hash has the same size.
    package static let signerKeyBytes = 32...128
    /// The allowed sizes of a salt separator, in bytes. Firebase uses 1.
    package static let saltSeparatorBytes = 0...64

    /// The text that is encrypted under a key derived from the password: `base64_signer_key`.
    package let signerKey: SecretBytes
    /// Appended to each salt: `base64_salt_separator`.
    package let saltSeparator: [UInt8]

    /// A project's parameters.
    /// - Throws: `PasswordHashError` with `.badLength`.
    package init(signerKey: SecretBytes, saltSeparator: [UInt8]) throws(PasswordHashError) {
        guard Self.signerKeyBytes.contains(signerKey.count),
            Self.saltSeparatorBytes.contains(saltSeparator.count)
        else { throw PasswordHashError.badLength }
        self.signerKey = signerKey
        self.saltSeparator = saltSeparator
    }
}
