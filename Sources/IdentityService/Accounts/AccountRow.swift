import Addresses
import Logging
import Messages
import ServiceRuntime
import Storage

/// An account with its profile, as stored. An account without a profile is never returned as an
/// account (G-01, I-04).
struct AccountRow: Hashable, Sendable {
    let account: AccountID
    let status: AccountStatus
    let createdAt: Timestamp
    let lastSignInAt: Timestamp?
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    let language: String
    /// Nil for an account without an address.
    let address: Address?
    /// The account has no sign-in method (G-07).
    let isGuest: Bool
    /// The account's sign-in methods: "password", "phone", providers' names. A password counts only
    /// if there is an address to enter with it.
    let methods: [String]
    /// Nil for an account without a phone number.
    let phone: Phone?
    /// The provider's picture; nil for none.
    let sealedPhotoURL: [UInt8]?
    /// The display name is the owner's, so no provider replaces it (G-17).
    let isNameEdited: Bool
    /// The photo is the owner's, or was removed here, so no provider replaces it (G-17).
    let isPhotoEdited: Bool
    /// The photo that was uploaded; nil for none.
    let photo: Photo?
    /// What decides whether onboarding is complete.
    let onboarding: OnboardingRecord
    /// What its owner has agreed to (G-23).
    let consents: GivenConsents
    /// Where the consent of a parent stands; nil for an account that needs none (G-23).
    let parentalConsent: ParentalConsentState?
    /// From 1; each end of all its sessions raises it (`AccountEnd`).
    let sessionGeneration: Int64

    /// The account as an input of the linking rule.
    var holder: AccountHolder { AccountHolder(account: account, status: status) }

    /// An account's phone number, stored as an identity's details.
    struct Phone: Hashable, Sendable {
        /// The identity's row key.
        let identity: Int64
        let sealedDetails: [UInt8]
    }

    /// The name of an account's photo.
    struct Photo: Hashable, Sendable {
        /// The photo's row key.
        let photo: Int64
        let sealedName: [UInt8]
    }

    /// The address that an account owns.
    struct Address: Hashable, Sendable {
        let lookUpKey: [UInt8]
        let sealed: [UInt8]
        /// Nil while the address is unverified.
        let provedAt: Timestamp?
    }
}

/// Whether an account may sign in (I-01). Raw values are stored and must never change.
enum AccountStatus: Int64, Sendable {
    case active = 1
    case suspended = 2
    case pendingVerification = 3
    case deleting = 4

    /// Whether the account may sign in and confirm a link. Reveal it only to a caller who has
    /// authenticated as the owner. For the other acts see `AccountStatusRule`.
    var isUsable: Bool { AccountStatusRule.allows(.signIn, self) }

    /// Whether the account's address may be verified by a mailed link. That may be what a pending
    /// account waits for.
    var mayVerify: Bool { AccountStatusRule.allows(.proveAddress, self) }

    /// The status in a protobuf message.
    var message: IdentityV1.AccountStatus {
        switch self {
        case .active: .active
        case .suspended: .suspended
        case .pendingVerification: .pendingVerification
        case .deleting: .deleting
        }
    }
}

/// Decrypts an account's rows for its owner.
struct AccountReader: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness

    /// The vault of an account.
    /// - Throws: if the account's key does not decrypt.
    func vault(_ row: AccountRow) throws -> AccountVault {
        try AccountVault(
            of: row.account, sealedKey: row.sealedKey, under: keys.accounts, randomness: randomness)
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

    /// What the rows say about the account; the rest is added by `AccountAnswers`.
    /// - Parameter lastSignInAt: The time of the sign-in before the current one, which replaces the
    ///   row's own value.
    func message(_ row: AccountRow, lastSignInAt: Timestamp?) throws -> IdentityV1.Account {
        let vault = try vault(row)
        return IdentityV1.Account(
            accountId: row.account.text,
            email: try row.address.map { try vault.open($0.sealed, .address) } ?? "",
            emailVerified: row.address?.provedAt != nil,
            displayName: try vault.open(row.sealedDisplayName, .displayName),
            createdAtMs: row.createdAt.milliseconds,
            lastSignInAtMs: lastSignInAt?.milliseconds ?? 0,
            status: row.status.message,
            methods: row.methods,
            phoneNumber: try row.phone.map { try phoneNumber($0, vault) } ?? "",
            photoUrl: try row.sealedPhotoURL.map { try vault.open($0, .photoURL) } ?? "",
            isGuest: row.isGuest,
            photoName: try row.photo.map { try vault.open($0.sealedName, .photoName($0.photo)) }
                ?? "")
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

extension Store {
    /// The row of an account.
    /// - Throws: `rpc/not-found`.
    func account(_ account: AccountID) async throws -> AccountRow {
        guard let row = try await read({ try $0.account(account) }) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return row
    }
}
