/// What all passwords of one Firebase project share: kept once, sealed, and named by each hash.
package struct FirebaseProject: Sendable {
    /// Bytes of a signer key; Firebase makes 64. A hash has as many.
    package static let signerKeyBytes = 32...128
    /// Bytes of a separator; Firebase's has one.
    package static let saltSeparatorBytes = 0...64

    /// What is encrypted under a password: `base64_signer_key`.
    package let signerKey: SecretBytes
    /// Follows each salt: `base64_salt_separator`.
    package let saltSeparator: [UInt8]

    /// A project's parameters.
    /// - Throws: `PasswordHashError` of `.badLength`.
    package init(signerKey: SecretBytes, saltSeparator: [UInt8]) throws(PasswordHashError) {
        guard Self.signerKeyBytes.contains(signerKey.count),
            Self.saltSeparatorBytes.contains(saltSeparator.count)
        else { throw PasswordHashError(.badLength) }
        self.signerKey = signerKey
        self.saltSeparator = saltSeparator
    }
}
