import Addresses
import Contracts
import Cryptography
import Logging
import Messages
import ServiceRuntime
import Storage

/// Seals personal data under the account's own key. That key is sealed under the service's key and
/// stored in the account's row of `account_keys`. Deleting that row makes the data unreadable, in
/// backups too (crypto-shredding; Sources/SECURITY.md, Erasure).
struct AccountVault: Sendable {
    /// The column and row to which a sealed value is bound.
    enum Field: Sendable {
        case address
        case displayName
        /// The new address of a pending email change.
        case newAddress
        /// The address of a pending claim.
        case claimedAddress
        case claimedPasswordHash
        case photoURL
        case passwordHash
        /// The account's id in the system that it was imported from.
        case externalID
        /// Custom claims that another system held for the account.
        case customClaims
        case suspensionReason
        case birthDate
        /// The address of a parent who is asked for consent.
        case parentEmail
        /// A document's collection, name and JSON; its row key.
        case document(Int64)
        /// The sides that were picked for a migration; its row key.
        case migrationPicks(Int64)
        /// A document of a migration: collection, name and JSON; its row key.
        case migrationDocument(Int64)
        /// The name of a photo; its row key.
        case photoName(Int64)
        /// The hash of a photo; its row key.
        case photoHash(Int64)
        /// A part of a photo, of so many, in its blob: neither can parts change places, nor can one
        /// be left out. The photo's row key.
        case photoPart(Int64, index: Int, of: Int)
        /// A part of an export, in its blob.
        case exportPart(BlobName, index: Int, isLast: Bool)
        /// The details of an identity; its row key.
        case identityDetails(Int64)
        /// The token that revokes an identity's grant; its row key.
        case identityGrant(Int64)

        fileprivate func place(_ account: AccountID) -> SealedPlace {
            switch self {
            case .address:
                SealedPlace(table: "email_addresses", column: "address", row: account.key)
            case .displayName:
                SealedPlace(table: "profiles", column: "display_name", row: account.key)
            case .newAddress:
                SealedPlace(table: "email_changes", column: "address", row: account.key)
            case .claimedAddress:
                SealedPlace(table: "claims", column: "address", row: account.key)
            case .claimedPasswordHash:
                SealedPlace(table: "claims", column: "password_hash", row: account.key)
            case .photoURL:
                SealedPlace(table: "profiles", column: "photo_url", row: account.key)
            case .identityDetails(let identity):
                SealedPlace(table: "identities", column: "details", row: identity)
            case .identityGrant(let identity):
                SealedPlace(table: "identities", column: "sealed_grant", row: identity)
            case .externalID:
                SealedPlace(table: "imported_accounts", column: "external_id", row: account.key)
            case .customClaims:
                SealedPlace(table: "custom_claims", column: "document", row: account.key)
            case .passwordHash:
                SealedPlace(table: "passwords", column: "hash", row: account.key)
            case .suspensionReason:
                SealedPlace(table: "suspensions", column: "reason", row: account.key)
            case .birthDate:
                SealedPlace(table: "profiles", column: "birth_date", row: account.key)
            case .parentEmail:
                SealedPlace(
                    table: "parental_consents", column: "parent_email", row: account.key)
            case .document(let document):
                SealedPlace(table: "documents", column: "payload", row: document)
            case .migrationPicks(let migration):
                SealedPlace(table: "guest_migrations", column: "picks", row: migration)
            case .migrationDocument(let item):
                SealedPlace(table: "guest_migration_documents", column: "payload", row: item)
            case .photoName(let photo):
                SealedPlace(table: "photos", column: "name", row: photo)
            case .photoHash(let photo):
                SealedPlace(table: "photos", column: "hash", row: photo)
            case .photoPart(let photo, let index, let count):
                SealedPlace(table: "photos", column: "part \(index) of \(count)", row: photo)
            case .exportPart(let blob, let index, let isLast):
                SealedPlace(
                    table: "exports",
                    column: "\(blob.text) part \(index)\(isLast ? ", the last" : "")",
                    row: account.key)
            }
        }
    }

    private let account: AccountID
    private let box: SealedBox

    /// The account's sealed key, as stored.
    let sealedKey: [UInt8]

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
    func seal(_ text: String, _ field: Field) throws -> [UInt8] {
        try box.seal(Array(text.utf8), at: field.place(account))
    }

    /// Seals a secret for the store.
    func seal(_ secret: SecretBytes, _ field: Field) throws -> [UInt8] {
        try box.seal(secret, at: field.place(account))
    }

    /// Seals bytes for the store.
    func seal(_ bytes: some Collection<UInt8>, _ field: Field) throws -> [UInt8] {
        try box.seal(bytes, at: field.place(account))
    }

    /// Decrypts bytes that `seal` sealed for the same field.
    /// - Throws: if they were sealed under another key or for another field.
    func openBytes(_ sealed: some Collection<UInt8>, _ field: Field) throws -> [UInt8] {
        try box.open(sealed, at: field.place(account))
    }

    /// Decrypts a text that `seal` sealed for the same field.
    /// - Throws: if it was sealed under another key or for another field.
    func open(_ sealed: [UInt8], _ field: Field) throws -> String {
        String(decoding: try box.open(sealed, at: field.place(account)), as: UTF8.self)
    }

    private static func place(_ account: AccountID) -> SealedPlace {
        SealedPlace(table: "account_keys", column: "sealed_key", row: account.key)
    }
}

/// Decrypts an account's rows for its owner.
struct AccountReader: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness

    /// The vault of an account.
    /// - Throws: if the account's key does not decrypt.
    func vault(_ row: AccountRow) throws -> AccountVault {
        try vault(of: row.account, sealedKey: row.sealedKey)
    }

    /// The vault of an account of which only the sealed key was read.
    /// - Throws: if the account's key does not decrypt.
    func vault(of account: AccountID, sealedKey: [UInt8]) throws -> AccountVault {
        try AccountVault(
            of: account, sealedKey: sealedKey, under: keys.accounts, randomness: randomness)
    }

    /// Returns the result of `read`. If an account's rows do not decrypt, it logs the account's id
    /// and returns nil, so that one damaged row does not abort a listing of all accounts.
    func readable<Value>(
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
    func message(_ row: AccountRow, lastSignInAt: Timestamp?) throws -> GatewayV1.Account {
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
            lastSignIn: lastSignInAt.map { .lastSignInAtMs($0.milliseconds) })
    }

    private func phoneNumber(_ phone: AccountRow.Phone, _ vault: AccountVault) throws -> String {
        let sealed = try vault.open(phone.sealedDetails, .identityDetails(phone.identity))
        return try IdentityDetails(text: sealed).subject
    }

    /// The address that an account owns; nil without one.
    func address(_ row: AccountRow) throws -> EmailAddress? {
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
