package import Cryptography

/// A key that signs mails, and the name under which the DNS publishes its public half.
package struct DKIMKey: Sendable {
    /// What signs.
    package enum Algorithm: Sendable {
        /// Understood by every verifier (RFC 6376, 3.3.1).
        case rsa(RSASigningKey)
        /// Short and quick, but some verifiers still pass over it (RFC 8463).
        case ed25519(Ed25519SigningKey)
    }

    /// Where the DNS has it: `SELECTOR._domainkey.DOMAIN`.
    package let selector: String
    /// What signs.
    package let algorithm: Algorithm

    /// A key under `selector`; nil when that is not a name's labels (RFC 6376, 3.1).
    package init?(selector: String, _ algorithm: Algorithm) {
        guard MailAddress.isDomain(selector[...]) else { return nil }
        self.selector = selector
        self.algorithm = algorithm
    }

    /// As the tag `a=` writes it.
    var name: String {
        switch algorithm {
        case .rsa: "rsa-sha256"
        case .ed25519: "ed25519-sha256"
        }
    }

    /// The signature over `data`. Ed25519 signs its SHA-256, so that one hash serves both (RFC 8463,
    /// section 3).
    func sign(_ data: [UInt8]) throws -> [UInt8] {
        switch algorithm {
        case .rsa(let key): try key.sign(data)
        case .ed25519(let key): try key.sign(SHA256.hash(data))
        }
    }
}
