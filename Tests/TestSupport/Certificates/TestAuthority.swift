import Cryptography
package import ServiceRuntime

/// A name in a test's certificate.
package enum TestName: Sendable {
    /// A host name, or an application's.
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

/// An issuer of certificates that a test makes for itself, so that no key is ever kept.
package struct TestAuthority: Sendable {
    private let name: String
    private let key: SigningKey
    private let now: Timestamp
    /// Its own certificate, for those who trust it.
    package let pem: String

    /// A new issuer.
    package init(_ name: String = "test root", now: Timestamp) throws {
        self.name = name
        self.now = now
        key = try .generate()
        let own = try TestCertificate.make(
            subject: name, key: key, issuer: name, issuerKey: key,
            from: now + .seconds(-3_600), until: now + .seconds(86_400), extensions: .authority)
        pem = TestCertificate.pem("CERTIFICATE", own)
    }

    /// A certificate for `names`, valid from an hour ago for a day unless told otherwise.
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
