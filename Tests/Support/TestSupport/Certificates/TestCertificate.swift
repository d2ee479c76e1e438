import Cryptography
import Glibc
import ServiceRuntime

/// A certificate on P-256 and its key (RFC 5280, RFC 5480).
package struct TestCertificate: Sendable {
    /// The certificate as it is sent on the wire.
    package let der: [UInt8]
    /// The certificate as it is stored in a file.
    package let pem: String
    /// Its private key (PKCS #8).
    package let keyPEM: String

    init(der: [UInt8], key: SigningKey) throws {
        self.der = der
        pem = Self.pem("CERTIFICATE", der)
        let scalar = try key.scalar().withBytes { Array($0) }
        let inner = DER.sequence(DER.integer([1]), DER.octets(scalar))
        keyPEM = Self.pem(
            "PRIVATE KEY", DER.sequence(DER.integer([]), Self.p256, DER.octets(inner)))
    }

    /// Writes both files. Only the owner can read the key file.
    /// - Throws: if a file cannot be written.
    package func write(
        to folder: TemporaryFolder, as name: String
    ) throws -> (chain: String, key: String) {
        let chain = try folder.write(pem, to: "\(name).pem")
        let key = try folder.write(keyPEM, to: "\(name).key.pem")
        _ = chmod(chain, 0o644)
        _ = chmod(key, 0o600)
        return (chain, key)
    }

    // MARK: Making

    /// What a certificate is for: an authority, or the names of a server or client.
    enum Extensions {
        case authority
        case names([TestName])
    }

    static func make(
        subject: String, key: SigningKey, issuer: String, issuerKey: SigningKey,
        from: Timestamp, until: Timestamp, extensions: Extensions
    ) throws -> [UInt8] {
        let serial = SHA256.hash(key.verifyingKey.x).prefix(8)
        let body = DER.sequence(
            DER.tagged(0xA0, DER.integer([2])), DER.integer(serial), ecdsaWithSHA256,
            name(issuer), DER.sequence(time(from), time(until)), name(subject),
            DER.sequence(p256, DER.bits([4] + key.verifyingKey.x + key.verifyingKey.y)),
            DER.tagged(0xA3, DER.sequence(encoded(extensions))))
        let signature = try issuerKey.sign(body)
        return DER.sequence(
            body, ecdsaWithSHA256,
            DER.bits(
                DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...]))))
    }

    private static func encoded(_ extensions: Extensions) -> [UInt8] {
        switch extensions {
        case .authority:
            DER.sequence(
                DER.identifier([0x55, 0x1D, 0x13]), DER.yes, DER.octets(DER.sequence(DER.yes)))
        case .names(let names):
            DER.sequence(
                DER.identifier([0x55, 0x1D, 0x11]),
                DER.octets(DER.sequence(names.flatMap(\.der))))
        }
    }

    private static func name(_ commonName: String) -> [UInt8] {
        DER.sequence(
            DER.set(DER.sequence(DER.identifier([0x55, 0x04, 0x03]), DER.text(commonName))))
    }

    /// UTCTime, which is valid until 2049.
    private static func time(_ moment: Timestamp) -> [UInt8] {
        let digits = moment.text.filter { $0.isNumber }.dropFirst(2).prefix(12)
        return DER.tagged(0x17, Array("\(digits)Z".utf8))
    }

    /// ecdsa-with-SHA256.
    private static let ecdsaWithSHA256 = DER.sequence(
        DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
    /// id-ecPublicKey on prime256v1.
    private static let p256 = DER.sequence(
        DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
        DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]))

    static func pem(_ label: String, _ der: [UInt8]) -> String {
        var rest = Base64.encode(der)[...]
        var lines = ["-----BEGIN \(label)-----"]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
