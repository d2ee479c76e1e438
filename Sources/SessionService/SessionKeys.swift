import Contracts
package import Cryptography
package import ServiceRuntime
package import Storage

/// The session service's keys, each for one purpose; all but one are derived from its master key.
package struct SessionKeys: StoreKeys {
    /// Seals the refresh token keys.
    let tokenKeys: SealedBox
    /// Seals the private parts of signing keys.
    let signingKeys: SealedBox
    /// Idempotency keys and fingerprints of calls (G-25).
    let calls: KeyedHash
    /// Client addresses and devices in the audit trail.
    let audit: KeyedHash
    /// Devices in session rows. A separate key, so that they cannot be joined with the audit trail.
    let devices: KeyedHash
    /// Recognises the sessions of deleted accounts (G-29).
    let deletedSessions: KeyedHash
    /// Seals what owners are shown of sessions' devices: name, place and agent (G-22).
    let devicesShown: SealedBox
    /// Seals the claims of accounts (I-10).
    let claims: SealedBox
    /// Verifies identity's sign-in proofs.
    let proofs: SignInProofSeal

    /// Derives keys from the service's `master` key; `signInProofs` is the key that identity and
    /// session share. Each has 32 random bytes. `randomness` generates the nonces for sealing.
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
        deletedSessions = hash("deleted session")
        func box(_ purpose: String) throws -> SealedBox {
            try SealedBox(
                keys: [1: KeyDerivation.key(from: master, purpose: "session/\(purpose)")],
                current: 1, randomness: randomness)
        }
        signingKeys = try box("signing key")
        tokenKeys = try box("refresh token key")
        devicesShown = try box("device name")
        claims = try box("account claims")
        proofs = SignInProofSeal(key: KeyedHash(key: signInProofs))
    }
}

extension SessionKeys {
    /// For each of the oldest refresh token keys, whether these keys open it (`Store.requireKey`).
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        try session.tokenKeys().sorted { $0.madeAt < $1.madeAt }.prefix(Int(limit)).map {
            tokenKeys.opens($0.sealed, at: .tokenKey($0.id))
        }
    }
}

/// Why the keys in the store could not be loaded. The description tells the operator what to do.
package enum SessionKeyError: Error, Hashable, CustomStringConvertible {
    /// A refresh token key could not be opened.
    case refreshTokenKeyDoesNotOpen
    /// The active signing key could not be opened, or does not match its public key.
    case signingKeyDoesNotOpen

    package var description: String {
        let key =
            switch self {
            case .refreshTokenKeyDoesNotOpen: "a refresh token key"
            case .signingKeyDoesNotOpen: "the signing key"
            }
        return """
            \(key) in the session store does not open: start with the master key that the store \
            was made with
            """
    }
}
