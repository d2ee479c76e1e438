import COpenSSL

/// P-256 keys in the file formats of other systems.
extension SigningKey {
    /// Parses a private key in PEM: PKCS #8, as in Apple's `AuthKey_….p8` and as written by
    /// `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`.
    /// - Throws: `CryptographyError.invalidKey` for anything else.
    package init(pem: SecretBytes) throws {
        let der = pem.withBytes { text in
            PEM.content(of: text, label: "PRIVATE KEY").map { der in
                var der = der
                return SecretBytes(taking: &der)
            }
        }
        guard let der, let key = der.withBytes(Self.key) else {
            ERR_clear_error()
            throw CryptographyError.invalidKey("not a PEM text of one P-256 private key")
        }
        try self.init(scalar: try key.scalar())
        // The scalar of a key on another curve would give another point here.
        guard try key.point() == [4] + verifyingKey.x + verifyingKey.y else {
            throw CryptographyError.invalidKey("the key is on another curve than P-256")
        }
    }

    private static func key(in der: UnsafeRawBufferPointer) -> P256Key? {
        var position = der.bindMemory(to: UInt8.self).baseAddress
        guard let pointer = d2i_AutoPrivateKey(nil, &position, der.count) else { return nil }
        return P256Key(taking: pointer)
    }
}
