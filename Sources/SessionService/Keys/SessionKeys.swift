import Contracts
package import Cryptography
package import ServiceRuntime

/// The keys that session works with, each for one purpose, all but one out of its master key.
package struct SessionKeys: Sendable {
    /// Seals the keys that refresh tokens are made under.
    let tokenKeys: SealedBox
    /// Seals the private halves of signing keys.
    let signingKeys: SealedBox
    /// Keys and fingerprints of calls that had an effect (G-25).
    let calls: KeyedHash
    /// Client addresses and devices in the audit trail.
    let audit: KeyedHash
    /// Devices in session rows: another key, so that they cannot be joined with the audit trail.
    let devices: KeyedHash
    /// Seals the names of devices (G-22).
    let deviceNames: SealedBox
    /// Checks identity's word that an account has proved itself.
    let proofs: SignInProofSeal

    /// Keys out of the service's `master` key and the key that identity and session share, each of
    /// 32 random bytes. `randomness` makes the nonces of what is sealed.
    /// - Throws: `CryptographyError.invalidKey`.
    package init(
        master: SecretBytes, signInProofs: SecretBytes, randomness: any Randomness
    ) throws {
        guard master.count == SecretFile.keyBytes, signInProofs.count == SecretFile.keyBytes else {
            throw CryptographyError.invalidKey("a key has \(SecretFile.keyBytes) bytes")
        }
        func hash(_ purpose: String) -> KeyedHash {
            KeyedHash(master: master, purpose: "session/\(purpose)")
        }
        calls = hash("call")
        audit = hash("audit")
        devices = hash("device")
        func box(_ purpose: String) throws -> SealedBox {
            try SealedBox(
                keys: [1: KeyDerivation.key(from: master, purpose: "session/\(purpose)")],
                current: 1, randomness: randomness)
        }
        signingKeys = try box("signing key")
        tokenKeys = try box("refresh token key")
        deviceNames = try box("device name")
        proofs = SignInProofSeal(key: KeyedHash(key: signInProofs))
    }
}
