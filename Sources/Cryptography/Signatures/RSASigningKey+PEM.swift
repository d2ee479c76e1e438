/// RSA keys as others hand them out.
extension RSASigningKey {
    /// The private key in a PEM text, PKCS #8, as Google's service accounts hold it.
    /// - Throws: `CryptographyError`.
    package init(pem: SecretBytes) throws {
        let der = pem.withBytes { text in
            PEM.content(of: text, label: "PRIVATE KEY").map { der in
                var der = der
                return SecretBytes(taking: &der)
            }
        }
        guard let der else { throw CryptographyError.invalidKey("a PEM text of one private key") }
        try self.init(der: der)
    }
}
