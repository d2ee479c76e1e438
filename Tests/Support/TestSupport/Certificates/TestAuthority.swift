import Cryptography
package import ServiceRuntime

/// A name in a test certificate.
package enum TestName: Sendable {
    /// A host name or an application name.
    case dns(String)
    /// `spiffe://…`
    case uri(String)
    /// An IPv4 address.
    case address(UInt8, UInt8, UInt8, UInt8)

    var der: [UInt8] {
        switch self {
        case .dns(let name): DER.tagged(0x82, Array(name.utf8))
        case .uri(let name): DER.tagged(0x86, Array(name.utf8))
        case .address(let a, let b, let c, let d): DER.tagged(0x87, [a, b, c, d])
        }
    }
}

/// A certificate authority that a test creates for itself, so no private key is stored in the
/// checkout.
package struct TestAuthority: Sendable {
    private let name: String
    private let key: SigningKey
    private let now: Timestamp
    /// Its own certificate, used as a trust root.
    package let pem: String

    /// Creates a new authority.
    /// - Throws: if a key cannot be generated or the certificate cannot be signed.
    package init(_ name: String = "test root", now: Timestamp) throws {
        self.name = name
        self.now = now
        key = try .generate()
        let own = try TestCertificate.make(
            subject: name, key: key, issuer: name, issuerKey: key,
            from: now + .seconds(-3_600), until: now + .seconds(86_400), extensions: .authority)
        pem = TestCertificate.pem("CERTIFICATE", own)
    }

    /// Issues a certificate for `names`. It is valid from an hour ago for a day, unless the caller
    /// says otherwise.
    /// - Throws: if a key cannot be generated or the certificate cannot be signed.
    package func issue(
        _ names: [TestName], commonName: String = "test", from: Duration = .seconds(-3_600),
        until: Duration = .seconds(86_400)
    ) throws -> TestCertificate {
        let key = try SigningKey.generate()
        let der = try TestCertificate.make(
            subject: commonName, key: key, issuer: name, issuerKey: self.key, from: now + from,
            until: now + until, extensions: .names(names))
        return try TestCertificate(der: der, key: key)
    }
}
