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
        else { throw PasswordHashError(.badLength) }
        self.signerKey = signerKey
        self.saltSeparator = saltSeparator
    }
}
