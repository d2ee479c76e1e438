package import Addresses
import Contracts
import Cryptography
package import Logging
package import Messages
package import ServiceRuntime
package import Storage

/// Seals personal data under the account's own key. That key is sealed under the service's key and
/// stored in the account's row of `account_keys`. Deleting that row makes the data unreadable, in
/// backups too (crypto-shredding; Sources/SECURITY.md, Erasure).
package struct AccountVault: Sendable {
    /// What is sealed of an account, each with the column and row to which its value is bound. The
    /// names are authenticated with stored values, so they never change.
    package struct Field: Sendable {
        private let table: String
        private let column: String
        /// The row's key; nil for a row that has the account's.
        private let row: Int64?

        private init(_ table: String, _ column: String, row: Int64? = nil) {
            self.table = table
            self.column = column
            self.row = row
        }

        fileprivate func place(_ account: AccountID) -> SealedPlace {
            SealedPlace(table: table, column: column, row: row ?? account.key)
        }

        /// The address that an account owns.
        package static let address = Field("email_addresses", "address")
        /// The new address of a pending email change.
        static let newAddress = Field("email_changes", "address")
        /// The address of a pending claim.
        static let claimedAddress = Field("claims", "address")
        static let claimedPasswordHash = Field("claims", "password_hash")
        /// The hash of the password.
        package static let passwordHash = Field("passwords", "hash")
        /// The display name.
        package static let displayName = Field("profiles", "display_name")
        /// The URL of a provider's picture.
        package static let photoURL = Field("profiles", "photo_url")
        /// The birth date.
        package static let birthDate = Field("profiles", "birth_date")
        /// The account's id in the system that it was imported from.
        package static let externalID = Field("imported_accounts", "external_id")
        /// The account's claims besides its roles.
        package static let customClaims = Field("custom_claims", "document")
        /// The account's roles.
        static let roles = Field("custom_claims", "roles")
        /// Why the operator suspended the account.
        package static let suspensionReason = Field("suspensions", "reason")
        /// Why the operator removes the account's second factors.
        package static let secondFactorResetReason = Field("accounts", "second_factor_reset_reason")
        /// The address of a parent who is asked for consent.
        package static let parentEmail = Field("parental_consents", "parent_email")
        /// Where the account was signed in from.
        package static let signInMemory = Field("sign_in_memory", "sealed")
        /// Where the previous sign-in was, in the stored response of a sign-in.
        static let previousPlace = Field("idempotency", "previous_place")

        /// The details of an identity.
        package static func identityDetails(_ identity: Int64) -> Field {
            Field("identities", "details", row: identity)
        }

        /// The token that revokes an identity's grant.
        static func identityGrant(_ identity: Int64) -> Field {
            Field("identities", "sealed_grant", row: identity)
        }

        /// A document's collection, name and JSON.
        package static func document(_ document: Int64) -> Field {
            Field("documents", "payload", row: document)
        }

        /// The sides that were picked for a migration.
        package static func migrationPicks(_ migration: Int64) -> Field {
            Field("guest_migrations", "picks", row: migration)
        }

        /// A document of a migration: collection, name and JSON.
        package static func migrationDocument(_ item: Int64) -> Field {
            Field("guest_migration_documents", "payload", row: item)
        }

        /// The name of a photo.
        package static func photoName(_ photo: Int64) -> Field {
            Field("photos", "name", row: photo)
        }

        /// The hash of a photo.
        package static func photoHash(_ photo: Int64) -> Field {
            Field("photos", "hash", row: photo)
        }

        /// A part of a photo, of so many, in its blob: neither can parts change places, nor can one
        /// be left out.
        package static func photoPart(_ photo: Int64, index: Int, of count: Int) -> Field {
            Field("photos", "part \(index) of \(count)", row: photo)
        }

        /// What a sign-in does once its second proof is there.
        static func challengeDetails(_ challenge: Int64) -> Field {
            Field("sign_in_challenges", "details", row: challenge)
        }

        /// What a second factor needs to be verified, and its name.
        static func secondFactorDetails(_ factor: FactorID) -> Field {
            Field("second_factors", "details", row: factor.key)
        }

        /// What a passkey needs to be verified and listed.
        package static func passkeyDetails(_ passkey: PasskeyID) -> Field {
            Field("passkeys", "details", row: passkey.key)
        }

        /// A part of an export, in its blob.
        package static func exportPart(_ blob: BlobName, index: Int, isLast: Bool) -> Field {
            Field("exports", "\(blob.text) part \(index)\(isLast ? ", the last" : "")")
        }
    }

    private let account: AccountID
    private let box: SealedBox

    /// The account's sealed key, as stored.
    package let sealedKey: [UInt8]

    /// A vault for a new account, with a new key.
    init(new account: AccountID, under keys: SealedBox, randomness: any Randomness) throws {
        let key = SecretBytes.generate(count: SecretFile.keyBytes, randomness: randomness)
        let sealed = try keys.seal(key, at: Self.place(account))
        self.account = account
        box = try SealedBox(keys: [1: key], current: 1, randomness: randomness)
        sealedKey = sealed
    }

    /// The vault of an existing account.
    /// - Throws: if the key does not decrypt.
    init(
        of account: AccountID, sealedKey: [UInt8], under keys: SealedBox,
        randomness: any Randomness
    ) throws {
        let key = try keys.openSecret(sealedKey, at: Self.place(account))
        self.account = account
        box = try SealedBox(keys: [1: key], current: 1, randomness: randomness)
        self.sealedKey = sealedKey
    }

    /// Whether an account's sealed key decrypts under `keys`.
    static func opens(_ sealedKey: [UInt8], of account: AccountID, under keys: SealedBox) -> Bool {
        keys.opens(sealedKey, at: place(account))
    }

    /// Seals a text for the store.
    /// - Throws: when sealing fails.
    package func seal(_ text: String, _ field: Field) throws -> [UInt8] {
        try box.seal(Array(text.utf8), at: field.place(account))
    }

    /// Seals a secret for the store.
    func seal(_ secret: SecretBytes, _ field: Field) throws -> [UInt8] {
        try box.seal(secret, at: field.place(account))
    }

    /// Decrypts a secret that `seal` sealed for the same field.
    /// - Throws: if it was sealed under another key or for another field.
    func openSecret(_ sealed: [UInt8], _ field: Field) throws -> SecretBytes {
        try box.openSecret(sealed, at: field.place(account))
    }

    /// Seals bytes for the store.
    /// - Throws: when sealing fails.
    package func seal(_ bytes: some Collection<UInt8>, _ field: Field) throws -> [UInt8] {
        try box.seal(bytes, at: field.place(account))
    }

    /// Decrypts bytes that `seal` sealed for the same field.
    /// - Throws: if they were sealed under another key or for another field.
    package func openBytes(_ sealed: some Collection<UInt8>, _ field: Field) throws -> [UInt8] {
        try box.open(sealed, at: field.place(account))
    }

    /// Decrypts a text that `seal` sealed for the same field.
    /// - Throws: if it was sealed under another key or for another field.
    package func open(_ sealed: [UInt8], _ field: Field) throws -> String {
        String(decoding: try box.open(sealed, at: field.place(account)), as: UTF8.self)
    }

    private static func place(_ account: AccountID) -> SealedPlace {
        SealedPlace(table: "account_keys", column: "sealed_key", row: account.key)
    }
}

/// Decrypts an account's rows for its owner.
package struct AccountReader: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness

    /// The vault of an account.
    /// - Throws: if the account's key does not decrypt.
    package func vault(_ row: AccountRow) throws -> AccountVault {
        try vault(of: row.account, sealedKey: row.sealedKey)
    }

    /// The vault of an account of which only the sealed key was read.
    /// - Throws: if the account's key does not decrypt.
    package func vault(of account: AccountID, sealedKey: [UInt8]) throws -> AccountVault {
        try AccountVault(
            of: account, sealedKey: sealedKey, under: keys.accounts, randomness: randomness)
    }

    /// Returns the result of `read`. If an account's rows do not decrypt, it logs the account's id
    /// and returns nil, so that one damaged row does not abort a listing of all accounts.
    package func readable<Value>(
        _ account: AccountID, _ logger: Logger, _ read: () throws -> Value
    ) -> Value? {
        do {
            return try read()
        } catch {
            logger.error(
                "identity.account.unreadable", "an account row does not decrypt and is left out",
                fields: [.account: .text(account.text), .detail: .error(error)])
            return nil
        }
    }

    /// What the rows say about the account; the rest, also the URL of an uploaded photo, is added
    /// by `AccountAnswers`.
    /// - Parameter lastSignInAt: The time of the sign-in before the current one, which replaces the
    ///   row's own value.
    /// - Throws: if the account's key does not decrypt.
    package func message(_ row: AccountRow, lastSignInAt: Timestamp?) throws -> GatewayV1.Account {
        let vault = try vault(row)
        return GatewayV1.Account(
            accountId: row.account.text,
            email: try row.address.map { try vault.open($0.sealed, .address) } ?? "",
            emailVerified: row.address?.provedAt != nil,
            displayName: try vault.open(row.sealedDisplayName, .displayName),
            createdAtMs: row.createdAt.milliseconds,
            status: row.status.message,
            methods: row.methods.map(\.name),
            phoneNumber: try row.phone.map { try phoneNumber($0, vault) } ?? "",
            photoUrl: try row.sealedPhotoURL.map { try vault.open($0, .photoURL) } ?? "",
            isGuest: row.isGuest,
            roles: try row.claims?.opened(vault).roles ?? [],
            isAgeVerified: row.isAgeVerified, consents: row.consents.messagesInForce,
            lastSignIn: lastSignInAt.map { .lastSignInAtMs($0.milliseconds) },
            verificationMail: row.verificationSentAt.map {
                .verificationMailSentAtMs($0.milliseconds)
            })
    }

    /// The number of an account's phone, as its identity has it.
    func phoneNumber(_ phone: AccountRow.Phone, _ vault: AccountVault) throws -> String {
        let sealed = try vault.open(phone.sealedDetails, .identityDetails(phone.identity))
        return try IdentityDetails(text: sealed).subject
    }

    /// The phone number of an account; nil without one.
    /// - Throws: if the account's key does not decrypt.
    func phoneNumber(_ row: AccountRow) throws -> PhoneNumber? {
        guard let phone = row.phone else { return nil }
        return PhoneNumber(try phoneNumber(phone, vault(row)))
    }

    /// The address that an account owns; nil without one.
    /// - Throws: if the account's key does not decrypt.
    package func address(_ row: AccountRow) throws -> EmailAddress? {
        guard let owned = row.address else { return nil }
        return EmailAddress(try vault(row).open(owned.sealed, .address))
    }

    /// The words that a password of this account must not be made of.
    /// - Parameter app: The app's name (`IdentitySettings.appName`).
    func passwordContext(_ row: AccountRow, app: String) throws -> PasswordContext {
        let vault = try vault(row)
        return PasswordContext(
            address: try row.address.flatMap {
                EmailAddress(try vault.open($0.sealed, .address))
            },
            displayName: try vault.open(row.sealedDisplayName, .displayName), app: app)
    }
}
