import Metrics
import ServiceRuntime
import Storage

/// Profiles that the store refused to insert. `IdentityService` makes it at the start: a counter that
/// begins with the first failure shows no increase.
let failedProfiles = Counter(label: "identity_profile_creation_failures")

extension SQLSession {
    /// One account with its profile, key, address and methods. Every sign-in reads it several
    /// times, so each table is accessed by its primary key or by an index on the account.
    func account(_ account: AccountID) throws -> AccountRow? {
        let methods = try query(
            "SELECT method FROM identities WHERE account = ? ORDER BY method",
            [.integer(account.key)]
        ) { try $0.text(0) }
        let consents = try consents(of: account)
        return try queryOne(
            """
            SELECT accounts.account, status, created_at_ms, last_sign_in_at_ms, sealed_key,
                display_name, language, email_addresses.look_up_key, address, proved_at_ms,
                is_guest, photo_url, session_generation, name_edited_at_ms, photo_edited_at_ms,
                photos.photo, photos.name AS photo_name, onboarded_at_ms, onboarding_set,
                phone.identity AS phone, phone.details AS phone_details,
                parental_consents.state AS parental_consent,
                EXISTS (SELECT 1 FROM passwords WHERE passwords.account = accounts.account)
                    AS has_password
            FROM accounts
            JOIN profiles ON profiles.account = accounts.account
            JOIN account_keys ON account_keys.account = accounts.account
            LEFT JOIN email_addresses ON email_addresses.account = accounts.account
            LEFT JOIN photos ON photos.account = accounts.account
            LEFT JOIN parental_consents ON parental_consents.account = accounts.account
            LEFT JOIN identities AS phone
                ON phone.account = accounts.account AND phone.method = 'phone'
            WHERE accounts.account = ?
            """, [.integer(account.key)]
        ) { try AccountRow($0, identityMethods: methods, consents: consents) }
    }

    /// The account that owns an address.
    func owner(ofAddress lookUpKey: [UInt8]) throws -> AccountID? {
        try queryOne(
            "SELECT account FROM email_addresses WHERE look_up_key = ?", [.blob(lookUpKey)]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    /// The account that owns an address, locked.
    func lockedOwner(ofAddress lookUpKey: [UInt8]) throws -> AccountID? {
        try locked {
            try owner(ofAddress: lookUpKey)
        } about: {
            .account($0)
        }
    }

    /// Inserts all rows of a new account.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if its address is taken.
    func insert(_ new: NewAccount) throws {
        let account = SQLValue.integer(new.account.key)
        // A sign-up counts as a sign-in: the next sign-in shows it as the previous one.
        try put(
            """
            INSERT INTO accounts (account, status, created_at_ms, last_sign_in_at_ms, is_guest)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                account, .integer(new.status.rawValue), SQLValue(at), SQLValue(at),
                SQLValue(new.isGuest),
            ])
        try insertProfile(
            of: new.account, sealedKey: new.sealedKey, sealedDisplayName: new.sealedDisplayName,
            language: new.language, sealedPhotoURL: new.sealedPhotoURL,
            isNameEdited: new.isNameTyped)
        if let address = new.address { try insert(address, of: new.account) }
        if let hash = new.sealedPasswordHash {
            try setPassword(new.account, sealedHash: hash)
        }
    }

    /// Inserts an account's key and profile. Without them its row is not a valid account (I-04).
    /// - Parameters:
    ///   - isNameEdited: No provider replaces the name.
    ///   - isPhotoEdited: No provider replaces the photo.
    func insertProfile(
        of account: AccountID, sealedKey: [UInt8], sealedDisplayName: [UInt8], language: String,
        sealedPhotoURL: [UInt8]?, isNameEdited: Bool, isPhotoEdited: Bool = false
    ) throws {
        try put(
            "INSERT INTO account_keys (account, sealed_key) VALUES (?, ?)",
            [.integer(account.key), .blob(sealedKey)])
        try insertProfile(
            of: account, sealedDisplayName: sealedDisplayName, language: language,
            sealedPhotoURL: sealedPhotoURL, isNameEdited: isNameEdited,
            isPhotoEdited: isPhotoEdited)
    }

    /// Inserts the profile of an account that has a key. A failure is counted: a profile that
    /// cannot be written ends a sign-up, an import or a repair (D1).
    func insertProfile(
        of account: AccountID, sealedDisplayName: [UInt8], language: String,
        sealedPhotoURL: [UInt8]?, isNameEdited: Bool, isPhotoEdited: Bool = false
    ) throws {
        do {
            try put(
                """
                INSERT INTO profiles (
                    account, display_name, language, photo_url, name_edited_at_ms,
                    photo_edited_at_ms)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(account.key), .blob(sealedDisplayName), .text(language),
                    SQLValue(sealedPhotoURL), isNameEdited ? SQLValue(at) : .null,
                    isPhotoEdited ? SQLValue(at) : .null,
                ])
        } catch {
            failedProfiles.increment()
            throw error
        }
    }

    /// Sets the display name that the owner chose; no provider replaces it any more (G-17).
    func setDisplayName(_ sealed: [UInt8], of account: AccountID) throws {
        try put(
            "UPDATE profiles SET display_name = ?, name_edited_at_ms = ? WHERE account = ?",
            [.blob(sealed), SQLValue(at), .integer(account.key)])
    }

    /// Sets an account's address; claims of other accounts on it become void.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if it is taken, or the account has one.
    func insert(_ address: NewAddress, of account: AccountID) throws {
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

    /// Records the time of a sign-in.
    func setLastSignIn(_ account: AccountID) throws {
        try put(
            "UPDATE accounts SET last_sign_in_at_ms = ? WHERE account = ?",
            [SQLValue(at), .integer(account.key)])
    }

    /// Marks the account's address as verified; the time of the first verification is kept. A
    /// pending account becomes active.
    func setAddressProved(_ account: AccountID) throws {
        try apply(.verify, account)
        try put(
            """
            UPDATE email_addresses SET proved_at_ms = ?
            WHERE account = ? AND proved_at_ms IS NULL
            """,
            [SQLValue(at), .integer(account.key)])
    }
}

extension AccountRow {
    fileprivate init(
        _ row: SQLRow, identityMethods: [String], consents: GivenConsents
    ) throws {
        self.consents = consents
        parentalConsent = try row.optionalInteger("parental_consent")
            .map { number in try ParentalConsentState(stored: number) }
        account = try AccountID(stored: row.integer("account"))
        let status = try row.integer("status")
        guard let known = AccountStatus(rawValue: status) else {
            throw SQLError(.unexpectedValue, detail: "accounts.status \(status)")
        }
        self.status = known
        createdAt = try row.timestamp("created_at_ms")
        lastSignInAt = try row.optionalTimestamp("last_sign_in_at_ms")
        sealedKey = try row.blob("sealed_key")
        sealedDisplayName = try row.blob("display_name")
        language = try row.text("language")
        address = try row.optionalBlob("look_up_key").map { lookUpKey in
            Address(
                lookUpKey: lookUpKey, sealed: try row.blob("address"),
                provedAt: try row.optionalTimestamp("proved_at_ms"))
        }
        isGuest = try row.boolean("is_guest")
        sealedPhotoURL = try row.optionalBlob("photo_url")
        isNameEdited = try row.optionalInteger("name_edited_at_ms") != nil
        isPhotoEdited = try row.optionalInteger("photo_edited_at_ms") != nil
        photo = try row.optionalInteger("photo").map { photo in
            Photo(photo: photo, sealedName: try row.blob("photo_name"))
        }
        onboarding = try OnboardingRecord(row)
        sessionGeneration = try row.integer("session_generation")
        phone = try row.optionalInteger("phone").map { identity in
            Phone(identity: identity, sealedDetails: try row.blob("phone_details"))
        }
        let opensByPassword = try row.boolean("has_password") && address != nil
        methods = (opensByPassword ? ["password"] : []) + identityMethods
    }
}

extension AccountID {
    /// The id of a stored row key.
    /// - Throws: `SQLError` of kind `.unexpectedValue` for a key below 1.
    init(stored key: Int64) throws(SQLError) {
        guard let account = AccountID(key: key) else {
            throw SQLError(.unexpectedValue, detail: "an account's key below 1")
        }
        self = account
    }
}

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
}

/// The address of a new account, or a new address of an account.
struct NewAddress: Sendable {
    /// Keyed hash of the normalised address.
    let lookUpKey: [UInt8]
    let sealed: [UInt8]
    /// Whether the address is verified.
    let isProved: Bool
}

extension Transaction {
    /// Makes everything pending of an account void: links and codes that were sent, and addresses
    /// that wait for verification. A new kind of pending state must be added here.
    func voidPendingState(of account: AccountID) throws {
        try removeLinks(of: account)
        try removePhoneCodes(of: account)
        try cancelPendingChanges(of: account)
    }
}

/// The columns of `accounts` that store a standing: `status` is the visible status, and `beneath`
/// holds the facts that it hides. For rows from before `beneath`, and for rows inserted with a
/// status only (imports), no fact is hidden.
extension IdentityTables {
    static let accountStatus = "ALTER TABLE accounts ADD COLUMN beneath INTEGER NOT NULL DEFAULT 0;"
}

extension SQLSession {
    /// The standing of an account; nil if there is no such account.
    func standing(_ account: AccountID) throws -> AccountStanding? {
        try queryOne(
            "SELECT status, beneath FROM accounts WHERE account = ?", [.integer(account.key)]
        ) { row in
            let status = try row.integer(0)
            guard let status = AccountStatus(rawValue: status) else {
                throw SQLError(.unexpectedValue, detail: "accounts.status \(status)")
            }
            return AccountStanding(status: status, beneath: try row.integer(1))
        }
    }
}

extension Transaction {
    /// Applies an event to an account. This is the only way to change a status.
    /// - Returns: whether the standing changed; false if there is no such account.
    @discardableResult
    func apply(_ event: AccountEvent, _ account: AccountID) throws -> Bool {
        guard let before = try standing(account) else { return false }
        let after = AccountStatusRule.standing(before, after: event)
        guard after != before else { return false }
        try put(
            "UPDATE accounts SET status = ?, beneath = ? WHERE account = ?",
            [
                .integer(after.status.rawValue), .integer(after.beneath), .integer(account.key),
            ])
        return true
    }
}

extension AccountStanding {
    private static let suspendedBit: Int64 = 1
    private static let pendingBit: Int64 = 2

    init(status: AccountStatus, beneath: Int64) {
        isDeleting = status == .deleting
        isSuspended = status == .suspended || beneath & Self.suspendedBit != 0
        awaitsVerification = status == .pendingVerification || beneath & Self.pendingBit != 0
    }

    /// The facts that the status hides, as bits.
    var beneath: Int64 {
        (isSuspended && status != .suspended ? Self.suspendedBit : 0)
            | (awaitsVerification && status != .pendingVerification ? Self.pendingBit : 0)
    }
}

extension AccountID {
    /// Parses the id in a request.
    /// - Throws: `rpc/invalid-argument`.
    static func required(_ text: String) throws(ServiceError) -> AccountID {
        guard let account = AccountID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        return account
    }
}
