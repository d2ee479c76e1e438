import Cryptography
import ServiceRuntime

/// Seals what is personal under a key of the account's own, which itself is sealed under the
/// service's key and kept in its row of `account_keys`. Deleting that row shreds all of it, in
/// backups too (Sources/SECURITY.md, Erasure).
struct AccountVault: Sendable {
    /// Where a sealed field lives.
    enum Field: Sendable {
        case address
        case displayName
        /// What an account's change of address waits with.
        case newAddress
        /// What an account's claim waits with.
        case claimedAddress
        case claimedPasswordHash
        case photoURL
        case passwordHash
        /// Its id in the system that it came from.
        case externalID
        /// What another system said of what it may do.
        case customClaims
        case suspensionReason
        /// What is told of an identity; its row's key.
        case identityDetails(Int64)
        /// What revokes an identity's grant; its row's key.
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
            }
        }
    }

    private let account: AccountID
    private let box: SealedBox

    /// The account's key, sealed, as its row keeps it.
    let sealedKey: [UInt8]

    /// A vault for a new account, with a new key.
    init(new account: AccountID, under keys: SealedBox, randomness: any Randomness) throws {
        let key = SecretBytes.generate(count: SecretFile.keyBytes, randomness: randomness)
        let sealed = try keys.seal(key, at: Self.place(account))
        self.account = account
        box = try SealedBox(keys: [1: key], current: 1, randomness: randomness)
        sealedKey = sealed
    }

    /// The vault of an account that has one.
    init(
        of account: AccountID, sealedKey: [UInt8], under keys: SealedBox,
        randomness: any Randomness
    ) throws {
        let key = try keys.openSecret(sealedKey, at: Self.place(account))
        self.account = account
        box = try SealedBox(keys: [1: key], current: 1, randomness: randomness)
        self.sealedKey = sealedKey
    }

    /// Whether the key of an account, sealed as its row keeps it, opens under `keys`.
    static func opens(_ sealedKey: [UInt8], of account: AccountID, under keys: SealedBox) -> Bool {
        keys.opens(sealedKey, at: place(account))
    }

    /// `text` for the store.
    func seal(_ text: String, _ field: Field) throws -> [UInt8] {
        try box.seal(Array(text.utf8), at: field.place(account))
    }

    /// A secret for the store.
    func seal(_ secret: SecretBytes, _ field: Field) throws -> [UInt8] {
        try box.seal(secret, at: field.place(account))
    }

    /// The text that `seal` was given.
    func open(_ sealed: [UInt8], _ field: Field) throws -> String {
        String(decoding: try box.open(sealed, at: field.place(account)), as: UTF8.self)
    }

    private static func place(_ account: AccountID) -> SealedPlace {
        SealedPlace(table: "account_keys", column: "sealed_key", row: account.key)
    }
}
