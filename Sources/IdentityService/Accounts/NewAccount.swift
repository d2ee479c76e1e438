package import Addresses
import Metrics
package import ServiceRuntime
package import Storage

/// Profiles that the store refused to insert. `IdentityService` makes it at the start: a counter
/// that begins with the first failure shows no increase.
let failedProfiles = Counter(label: "identity_profile_creation_failures")

/// The rows of a new account. All random values are drawn and all personal data is sealed before
/// the transaction.
struct NewAccount: Sendable {
    /// The session generation of a new account, as the column's default.
    static let sessionGeneration: Int64 = 1

    let account: AccountID
    let sealedKey: [UInt8]
    let sealedDisplayName: [UInt8]
    /// The person typed the display name, so no provider replaces it.
    var isNameTyped = false
    /// Nil for none.
    var sealedPhotoURL: [UInt8]?
    let language: String
    /// Nil for an account without an address.
    var address: NewAddress?
    /// Nil for an account without a password.
    var sealedPasswordHash: [UInt8]?
    /// The account has no sign-in method (G-07).
    var isGuest = false
    /// Pending if its address must be verified first (G-02).
    var status = AccountStatus.active
    /// A sign-up counts as a sign-in: the next one shows it as the previous one. An account that a
    /// backend creates has not been signed in to.
    var isSignedIn = true
}

/// The address of a new account, or a new address of an account.
package struct NewAddress: Sendable {
    /// Keyed hash of the normalised address.
    package let lookUpKey: [UInt8]
    /// The address, sealed under the account's key.
    let sealed: [UInt8]
    /// Whether the address is verified.
    let isProved: Bool

    /// An address of the account to which a vault belongs.
    /// - Throws: when sealing fails.
    package init(
        _ address: EmailAddress, isProved: Bool, _ vault: AccountVault, _ keys: IdentityKeys
    ) throws {
        self.init(
            lookUpKey: keys.lookUpKey(of: address),
            sealed: try vault.seal(address.entered, .address),
            isProved: isProved)
    }

    /// An address that is sealed for its account.
    package init(lookUpKey: [UInt8], sealed: [UInt8], isProved: Bool) {
        self.lookUpKey = lookUpKey
        self.sealed = sealed
        self.isProved = isProved
    }
}

extension Transaction {
    /// Inserts all rows of a new account.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if its address is taken.
    func insert(_ new: NewAccount) throws {
        let account = SQLValue.integer(new.account.key)
        try put(
            """
            INSERT INTO accounts (account, status, created_at_ms, last_sign_in_at_ms, is_guest)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                account, .integer(new.status.rawValue), SQLValue(at),
                new.isSignedIn ? SQLValue(at) : .null, SQLValue(new.isGuest),
            ])
        try insertProfile(
            of: new.account, sealedKey: new.sealedKey, sealedDisplayName: new.sealedDisplayName,
            language: new.language, sealedPhotoURL: new.sealedPhotoURL,
            isNameEdited: new.isNameTyped, isComplete: false)
        if let address = new.address { try insert(address, of: new.account) }
        if let hash = new.sealedPasswordHash {
            try setPassword(new.account, sealedHash: hash)
        }
    }

    /// Inserts an account's key and profile. Without them its row is not a valid account (I-04).
    /// - Parameters:
    ///   - isNameEdited: No provider replaces the name.
    ///   - isPhotoEdited: No provider replaces the photo.
    ///   - isComplete: It counts as complete: its owner signed up elsewhere (`ProfileCompletion`).
    /// - Throws: `SQLError`.
    package func insertProfile(
        of account: AccountID, sealedKey: [UInt8], sealedDisplayName: [UInt8], language: String,
        sealedPhotoURL: [UInt8]?, isNameEdited: Bool, isPhotoEdited: Bool = false,
        isComplete: Bool
    ) throws {
        try put(
            "INSERT INTO account_keys (account, sealed_key) VALUES (?, ?)",
            [.integer(account.key), .blob(sealedKey)])
        try insertProfile(
            of: account, sealedDisplayName: sealedDisplayName, language: language,
            sealedPhotoURL: sealedPhotoURL, isNameEdited: isNameEdited,
            isPhotoEdited: isPhotoEdited, isComplete: isComplete)
    }

    /// Inserts the profile of an account that has a key. A failure is counted: a profile that
    /// cannot be written ends a sign-up, an import or a repair (D1).
    /// - Throws: `SQLError`.
    package func insertProfile(
        of account: AccountID, sealedDisplayName: [UInt8], language: String,
        sealedPhotoURL: [UInt8]?, isNameEdited: Bool, isPhotoEdited: Bool = false,
        isComplete: Bool
    ) throws {
        do {
            try put(
                """
                INSERT INTO profiles (
                    account, display_name, language, photo_url, name_edited_at_ms,
                    photo_edited_at_ms, completed_at_ms)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(account.key), .blob(sealedDisplayName), .text(language),
                    SQLValue(sealedPhotoURL), isNameEdited ? SQLValue(at) : .null,
                    isPhotoEdited ? SQLValue(at) : .null, isComplete ? .integer(0) : .null,
                ])
        } catch {
            failedProfiles.increment()
            throw error
        }
    }

    /// Sets an account's address; claims of other accounts on it become void.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if it is taken, or the account has one.
    package func insert(_ address: NewAddress, of account: AccountID) throws {
        try put(
            """
            INSERT INTO email_addresses (account, look_up_key, address, held_at_ms, proved_at_ms)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .integer(account.key), .blob(address.lookUpKey), .blob(address.sealed),
                SQLValue(at), address.isProved ? SQLValue(at) : .null,
            ])
        try voidClaims(on: address.lookUpKey)
    }
}
