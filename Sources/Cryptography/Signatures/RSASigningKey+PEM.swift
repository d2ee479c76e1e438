/// RSA keys in the file formats of other systems.
extension RSASigningKey {
    /// Parses a private key in PEM, PKCS #8, as Google's service accounts contain it.
    /// - Throws: `CryptographyError` for any other text.
    package init(pem: SecretBytes) throws {
        let der = pem.withBytes { text in
            PEM.content(of: text, label: "PRIVATE KEY").map { der in
                var der = der
                return SecretBytes(taking: &der)
            }
        }
        guard let der else { throw CryptographyError.invalidKey("not a PEM private key") }
        try self.init(der: der)
    }
}
