import Contracts
package import Cryptography
import EmailAddresses
package import ServiceRuntime

/// The keys that identity works with, each for one purpose, all but one out of its master key.
package struct IdentityKeys: Sendable {
    /// Finds an account by its address: `addresses.lookUpKey(address.normalised)`.
    let addresses: KeyedHash
    /// Finds an identity by its issuer and subject, and knows used nonces again.
    let identities: KeyedHash
    /// Finds a link by its token, so that a stolen store holds no token that works (I-06).
    let links: KeyedHash
    /// Finds what is kept of a phone number: its codes, and whether it has changed (G-06, A-06).
    let phones: KeyedHash
    /// What is kept of a code to a phone (I-06).
    let phoneCodes: KeyedHash
    /// Keys and fingerprints of calls that had an effect (G-25).
    let calls: KeyedHash
    /// Nonces for sign-ins at providers (G-05).
    let nonces: KeyedHash
    /// Client addresses and devices in the audit trail.
    let audit: KeyedHash
    /// Devices that accounts were signed in to from, for each account apart (G-08).
    let devices: KeyedHash
    /// Seals the key of each account.
    let accounts: SealedBox
    /// Seals what waits in the outbox.
    let outbox: SealedBox
    /// Seals the choice after a collision (`CollisionChoice`).
    let choices: SealedBox
    /// Makes identity's word to the session service.
    let proofs: SignInProofSeal

    /// Keys out of the service's `master` key and the key that identity shares with session, each
    /// of 32 random bytes. `randomness` makes the nonces of what is sealed.
    /// - Throws: `CryptographyError.invalidKey`.
    package init(
        master: SecretBytes, signInProofs: SecretBytes, randomness: any Randomness
    ) throws {
        func hash(_ purpose: String) -> KeyedHash {
            KeyedHash(master: master, purpose: "identity/\(purpose)")
        }
        func box(_ purpose: String) throws -> SealedBox {
            let key = KeyDerivation.key(from: master, purpose: "identity/\(purpose)")
            return try SealedBox(keys: [1: key], current: 1, randomness: randomness)
        }
        guard signInProofs.count == SecretFile.keyBytes, master.count == SecretFile.keyBytes else {
            throw CryptographyError.invalidKey("a key has \(SecretFile.keyBytes) bytes")
        }
        addresses = hash("email look-up")
        identities = hash("identity look-up")
        links = hash("link")
        phones = hash("phone look-up")
        phoneCodes = hash("phone code")
        calls = hash("call")
        nonces = hash("nonce")
        audit = hash("audit")
        devices = hash("known device")
        accounts = try box("account keys")
        outbox = try box("outbox")
        choices = try box("collision choice")
        proofs = SignInProofSeal(key: KeyedHash(key: signInProofs))
    }
}

extension IdentityKeys {
    /// The keyed hash by which the owner of `address` is found.
    func lookUpKey(of address: EmailAddress) -> [UInt8] {
        addresses.lookUpKey(address.normalised)
    }

    /// The keyed hash of `address` in the audit trail: another one, so that the trail cannot be
    /// joined with the accounts by it.
    func subject(of address: EmailAddress) -> [UInt8] {
        audit.lookUpKey(Array("email address\0".utf8) + address.normalised)
    }
}
