/// What decrypts an age file.
package enum AgeIdentity: Sendable {
    /// A secret key, for files that are encrypted to its public key.
    case x25519(AgeKeyPair)
    /// A passphrase, for files that are encrypted with it.
    case passphrase(SecretBytes)

    /// The secret keys in an identity file, as `age-keygen` writes it: one on each line. Empty lines
    /// and lines that begin with `#` are skipped.
    /// - Throws: `AgeKeyError` with the number of the line and what is wrong with it, also when the
    ///   file has no key; `CryptographyError` when OpenSSL fails.
    package static func keys(inFile file: SecretBytes) throws -> [AgeIdentity] {
        try file.withBytes { file in
            guard !file.starts(with: AgeHeader.versionStart) else {
                throw AgeKeyError("the identity file is encrypted: decrypt it with age -d first")
            }
            var identities: [AgeIdentity] = []
            let lines = file.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                guard let first = text.first, first != UInt8(ascii: "#") else { continue }
                do {
                    identities.append(.x25519(try AgeKeyPair(text: text)))
                } catch let error as AgeKeyError {
                    throw AgeKeyError("line \(index + 1): \(error)")
                }
            }
            guard !identities.isEmpty else {
                throw AgeKeyError("no line of the file is a secret key, AGE-SECRET-KEY-1…")
            }
            return identities
        }
    }
}
