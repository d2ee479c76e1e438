package import Addresses
import Contracts
package import Cryptography
import Messages
package import ServiceRuntime
package import Storage

/// The keys of the identity service, one for each purpose. All but one are derived from its master
/// key.
package struct IdentityKeys: StoreKeys {
    /// Looks up an account by its address: `addresses.lookUpKey(address.normalised)`.
    let addresses: KeyedHash
    /// Looks up an identity by its issuer and subject, and recognises used nonces.
    package let identities: KeyedHash
    /// Looks up a link by its token, so that a stolen store contains no usable token (I-06).
    package let links: KeyedHash
    /// Looks up the state of a phone number: its codes, and whether it has changed (G-06, A-06).
    let phones: KeyedHash
    /// Hashes verification codes that were sent to phones (I-06).
    let phoneCodes: KeyedHash
    /// Makes the tokens of challenges, and hashes them, their devices and their codes (F-03).
    let challenges: KeyedHash
    /// Looks up a recovery code, differently for each account (F-04).
    let recoveryCodes: KeyedHash
    /// Looks up a passkey by its credential's id (F-01).
    let passkeys: KeyedHash
    /// Makes the handle of an account for its passkeys (F-01).
    let passkeyHandles: KeyedHash
    /// Authenticates challenges for passkeys (F-01).
    let passkeyChallenges: KeyedHash
    /// Hashes idempotency keys and request fingerprints (G-25).
    package let calls: KeyedHash
    /// Authenticates nonces for sign-ins at providers (G-05).
    let nonces: KeyedHash
    /// Hashes client addresses and devices in the audit trail.
    package let audit: KeyedHash
    /// Hashes the known devices of an account, differently for each account (G-08).
    let devices: KeyedHash
    /// Looks up a photo by its name (G-17).
    package let photos: KeyedHash
    /// Looks up a document by its collection and name, differently for each account (I-07).
    package let documents: KeyedHash
    /// Recognises deleted accounts by their tombstones (G-20).
    package let tombstones: KeyedHash
    /// Seals the key of each account.
    let accounts: SealedBox
    /// Seals the payloads of outbox messages.
    let outbox: SealedBox
    /// Seals the token for the choice after a collision (`CollisionChoice`).
    package let choices: SealedBox
    /// Seals the key of each deletion's payload (`DeletionVault`).
    package let deletions: SealedBox
    /// Seals the token that confirms a deletion (`DeletionConfirmation`).
    package let confirmations: SealedBox
    /// Seals the tokens of pages of an account's activity (`ActivityHistory`).
    let activityPages: SealedBox
    /// Seals the tokens of authenticator apps that are being set up (`TOTPEnrollment`).
    let enrollments: SealedBox
    /// Authenticates sign-in proofs to the session service.
    let proofs: SignInProofSeal

    /// Derives the keys from the service's `master` key and the key that identity shares with
    /// session, each of 32 random bytes. `randomness` yields the nonces of sealed values.
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
        challenges = hash("sign-in challenge")
        recoveryCodes = hash("recovery code")
        passkeys = hash("passkey look-up")
        passkeyHandles = hash("passkey user handle")
        passkeyChallenges = hash("passkey challenge")
        calls = hash("call")
        nonces = hash("nonce")
        audit = hash("audit")
        devices = hash("known device")
        photos = hash("photo look-up")
        documents = hash("document look-up")
        tombstones = hash("tombstone")
        accounts = try box("account keys")
        outbox = try box("outbox")
        choices = try box("collision choice")
        deletions = try box("deletion keys")
        confirmations = try box("deletion confirmation")
        activityPages = try box("activity page")
        enrollments = try box("second factor enrollment")
        proofs = SignInProofSeal(key: KeyedHash(key: signInProofs))
    }
}

extension IdentityKeys {
    /// The keyed hash by which the owner of `address` is looked up.
    package func lookUpKey(of address: EmailAddress) -> [UInt8] {
        addresses.lookUpKey(address.normalised)
    }

    /// The keyed hash of `address` in the audit trail. It uses a separate key, so that the trail
    /// cannot be joined with the accounts.
    func subject(of address: EmailAddress) -> [UInt8] {
        audit.lookUpKey(Array("email address\0".utf8) + address.normalised)
    }
}

extension IdentityKeys {
    /// The keyed hash by which a passkey is looked up.
    package func lookUpKey(ofCredential id: [UInt8]) -> [UInt8] { passkeys.lookUpKey(id) }

    /// The handle of an account for its new passkeys: 32 bytes without personal data (Web
    /// Authentication Level 3, section 14.6.1).
    func passkeyHandle(of account: AccountID) -> [UInt8] {
        passkeyHandles.hash(account.key.bigEndianBytes)
    }
}

extension IdentityKeys {
    /// For each of the oldest accounts, whether these keys decrypt its key (`Store.requireKey`).
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        try session.query(
            """
            SELECT accounts.account, account_keys.sealed_key
            FROM accounts JOIN account_keys ON account_keys.account = accounts.account
            ORDER BY accounts.created_at_ms, accounts.account LIMIT ?
            """,
            [.integer(limit)]
        ) { row in
            AccountVault.opens(
                try row.blob(1), of: try AccountID(stored: row.integer(0)), under: accounts)
        }
    }
}

/// Issues sign-in proofs: identity's authenticated statement to the session service that an
/// account's owner has authenticated (G-03).
package struct ProofIssuer: Sendable {
    private static let nonceBytes = 16
    /// Proofs from the millisecond in which an account's sessions end are rejected too
    /// (`IdentityOutbox.endAccount`). A proof that is this much later is the first valid one.
    package static let afterEnd: Duration = .milliseconds(1)

    let keys: IdentityKeys
    let randomness: any Randomness

    /// A proof that opens a session, issued at `moment`. Only what the gate has admitted has one
    /// (F-03).
    /// - Parameter admitted: Its account was read in the transaction that accepted the credentials,
    ///   or before: its session generation is the proof's (`AccountEnd`). Attack: the password is
    ///   reset while a sign-in with the former one is under way. With a row that is read later, its
    ///   proof would be from after the reset.
    /// - Parameter authenticatedAt: The time of the authentication; nil for `moment`. A repeat
    ///   whose credential was used up has the time of the first call. Attack: a code that has
    ///   expired is sent again under its idempotency key, to prove a recent authentication.
    /// - Throws: if the account's claims do not decrypt.
    func signIn(
        _ admitted: AdmittedSignIn, authenticatedAt: Timestamp? = nil, provedAt moment: Timestamp
    ) throws -> IdentityV1.SignInProof {
        try proof(
            admitted.row, admitted.amr, for: .signIn, authenticatedAt: authenticatedAt ?? moment,
            provedAt: moment, claims: claims(of: admitted.row))
    }

    /// The claims that a session takes over, also none of a version: a role may have been taken away
    /// and session not know it yet. Nil for an account that never had any, and while those of an
    /// import are in no token (`UnsentClaims`).
    private func claims(of row: AccountRow) throws -> (claims: AccountClaims, version: Int64)? {
        guard let stored = row.claims, stored.version > 0 else { return nil }
        return try AccountReader(keys: keys, randomness: randomness).claims(of: row)
    }

    /// A proof that is recorded in a live session and opens none. It is made only for the owner of an
    /// access token that identity has resolved itself.
    /// - Parameters:
    ///   - owner: Of that session. The proof is about this account.
    ///   - row: The account, as for `signIn`.
    ///   - authentication: By what, as sessions and tokens show it.
    ///   - authenticatedAt: As for `signIn`.
    func reauthentication(
        of owner: SessionOwner, _ row: AccountRow, by authentication: Authentication,
        authenticatedAt: Timestamp?, provedAt moment: Timestamp
    ) -> IdentityV1.SignInProof {
        precondition(owner.account == row.account)
        return proof(
            row, authentication.amr, for: .reauthentication,
            authenticatedAt: authenticatedAt ?? moment, provedAt: moment)
    }

    private func proof(
        _ row: AccountRow, _ amr: [String], for purpose: IdentityV1.SignInProofPurpose,
        authenticatedAt: Timestamp, provedAt moment: Timestamp,
        claims: (claims: AccountClaims, version: Int64)? = nil
    ) -> IdentityV1.SignInProof {
        keys.proofs.seal(
            IdentityV1.SignInProof(
                accountId: row.account.text, amr: amr, authTimeMs: authenticatedAt.milliseconds,
                provedAtMs: moment.milliseconds, nonce: randomness.bytes(Self.nonceBytes),
                sessionGeneration: row.sessionGeneration, purpose: purpose,
                claimsVersion: claims?.version ?? 0, claimsJson: claims?.claims.json ?? "",
                roles: claims?.claims.roles ?? []))
    }
}
