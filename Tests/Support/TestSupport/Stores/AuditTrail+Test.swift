import Cryptography
package import Storage

extension AuditTrail {
    /// A trail under a key that tests know, of the service `entries`.
    /// - Parameter master: another number is another service's key.
    /// - Throws: `CryptographyError`.
    package static func test(
        keptFor retention: Duration? = nil, master: UInt8 = 7
    ) throws -> AuditTrail {
        AuditTrail(
            keys: try AuditKeys(
                master: SecretBytes(copying: [UInt8](repeating: master, count: 32)),
                service: "entries"),
            keptFor: retention, randomness: SecureRandomness())
    }
}
