package import Contracts
package import ServiceRuntime
package import Storage

/// An account with its profile, as stored. An account without a profile is never returned as an
/// account (G-01, I-04).
package struct AccountRow: Hashable, Sendable {
    /// Its id.
    package let account: AccountID
    /// Its visible status.
    package let status: AccountStatus
    /// When it was created.
    package let createdAt: Timestamp
    /// When its owner signed in last; nil for never.
    package let lastSignInAt: Timestamp?
    /// Its key, sealed under the service's.
    package let sealedKey: [UInt8]
    /// The display name, sealed under the account's key.
    package let sealedDisplayName: [UInt8]
    /// The language of its mails: a language tag.
    package let language: String
    /// Nil for an account without an address.
    package let address: Address?
    /// The account has no sign-in method (G-07).
    package let isGuest: Bool
    /// The account's sign-in methods. A password counts only if there is an address to enter with
    /// it. A passkey counts once, also one of another domain than the operator's, as a provider
    /// does that is switched off.
    package let methods: [SignInMethod]
    /// Nil for an account without a phone number.
    let phone: Phone?
    /// The provider's picture; nil for none.
    package let sealedPhotoURL: [UInt8]?
    /// The display name is the owner's, so no provider replaces it (G-17).
    let isNameEdited: Bool
    /// The photo is the owner's, or was removed here, so no provider replaces it (G-17).
    package let isPhotoEdited: Bool
    /// The photo that was uploaded; nil for none.
    package let photo: Photo?
    /// What decides whether onboarding is complete.
    package let onboarding: OnboardingRecord
    /// When profile and onboarding were complete for the first time (`ProfileCompletion`); 0 for an
    /// account from before that was recorded, nil if they never were.
    package let profileCompletedAt: Timestamp?
    /// What its owner has agreed to (G-23).
    package let consents: GivenConsents
    /// Where the consent of a parent stands; nil for an account that needs none (G-23).
    let parentalConsent: ParentalConsentState?
    /// The age gate has found its owner old enough, and no parent is needed (I-11). A guest may have
    /// named an old enough date after a younger one: then the need stays.
    package let isAgeVerified: Bool
    /// When the last mail with a link to verify its address was ordered; nil for never (I-11).
    package let verificationSentAt: Timestamp?
    /// From 1; each end of all its sessions raises it (`AccountEnd`).
    package let sessionGeneration: Int64
    /// Its roles and claims; nil for an account that never had any.
    package let claims: StoredClaims?

    /// Whether profile and onboarding were complete once.
    var isProfileComplete: Bool { profileCompletedAt != nil }

    /// The account as an input of the linking rule.
    var holder: AccountHolder { AccountHolder(account: account, status: status) }

    /// The account as a newcomer; nil if it is none.
    package func newcomer(at moment: Timestamp) -> Newcomer? {
        Newcomer(account: account.key, isGuest: isGuest, createdAt: createdAt, at: moment)
    }

    /// An account's phone number, stored as an identity's details.
    struct Phone: Hashable, Sendable {
        /// The identity's row key.
        let identity: Int64
        let sealedDetails: [UInt8]
    }

    /// The name of an account's photo.
    package struct Photo: Hashable, Sendable {
        let rowKey: Int64
        let sealedName: [UInt8]
    }

    /// The address that an account owns.
    package struct Address: Hashable, Sendable {
        let lookUpKey: [UInt8]
        /// The address, sealed under the account's key.
        package let sealed: [UInt8]
        /// Nil while the address is unverified.
        package let provedAt: Timestamp?
    }
}

extension SQLSession {
    /// One account with its profile, key, address and methods. Every sign-in reads it several
    /// times, so each table is accessed by its primary key or by an index on the account.
    /// - Throws: `SQLError`.
    package func account(_ account: AccountID) throws -> AccountRow? {
        let methods = try query(
            "SELECT method FROM identities WHERE account = ? ORDER BY method",
            [.integer(account.key)]
        ) { SignInMethod(name: try $0.text(0)) }
        let consents = try consents(of: account)
        return try queryOne(
            """
            SELECT accounts.account, status, created_at_ms, last_sign_in_at_ms, sealed_key,
                display_name, language, email_addresses.look_up_key, address, proved_at_ms,
                is_guest, photo_url, session_generation, name_edited_at_ms, photo_edited_at_ms,
                photos.photo, photos.name AS photo_name, onboarded_at_ms, onboarding_set,
                completed_at_ms, age_verified_at_ms, verification_sent_at_ms,
                phone.identity AS phone, phone.details AS phone_details,
                parental_consents.state AS parental_consent,
                \(StoredClaims.columns),
                EXISTS (SELECT 1 FROM passwords WHERE passwords.account = accounts.account
                    AND \(IdentityTables.passwordCounts)) AS has_password,
                EXISTS (SELECT 1 FROM passkeys WHERE passkeys.account = accounts.account)
                    AS has_passkey
            FROM accounts
            JOIN profiles ON profiles.account = accounts.account
            JOIN account_keys ON account_keys.account = accounts.account
            LEFT JOIN email_addresses ON email_addresses.account = accounts.account
            LEFT JOIN photos ON photos.account = accounts.account
            LEFT JOIN parental_consents ON parental_consents.account = accounts.account
            LEFT JOIN custom_claims ON custom_claims.account = accounts.account
            LEFT JOIN identities AS phone
                ON phone.account = accounts.account AND phone.method = ?
            WHERE accounts.account = ?
            """, [.text(SignInMethod.phone.name), .integer(account.key)]
        ) { try AccountRow($0, identityMethods: methods, consents: consents) }
    }

    /// The row of the account that a call reads or changes.
    /// - Throws: `auth/invalid-access-token` when it no longer exists, `auth/user-disabled`.
    package func callersRow(_ account: AccountID) throws -> AccountRow {
        guard let row = try self.account(account) else { throw ServiceError(.invalidAccessToken) }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return row
    }

    /// The next accounts after a key, in the order of their keys.
    /// - Throws: `SQLError`.
    package func accountIDs(after key: Int64, limit: Int64) throws -> [AccountID] {
        try query(
            "SELECT account FROM accounts WHERE account > ? ORDER BY account LIMIT ?",
            [.integer(key), .integer(limit)]
        ) { try AccountID(stored: $0.integer(0)) }
    }

    /// The account that owns an address.
    /// - Throws: `SQLError`.
    package func owner(ofAddress lookUpKey: [UInt8]) throws -> AccountID? {
        try queryOne(
            "SELECT account FROM email_addresses WHERE look_up_key = ?", [.blob(lookUpKey)]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Store {
    /// The row of an account.
    /// - Throws: `rpc/not-found`.
    package func account(_ account: AccountID) async throws -> AccountRow {
        guard let row = try await read({ try $0.account(account) }) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        return row
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

    /// Sets the display name that the owner chose; no provider replaces it any more (G-17).
    /// - Throws: `SQLError`.
    package func setDisplayName(_ sealed: [UInt8], of account: AccountID) throws {
        try put(
            "UPDATE profiles SET display_name = ?, name_edited_at_ms = ? WHERE account = ?",
            [.blob(sealed), SQLValue(at), .integer(account.key)])
    }

    /// Makes everything pending of an account void: links and codes that were sent, sign-ins that
    /// wait for a second proof, and addresses that wait for verification. A new kind of pending
    /// state must be added here.
    /// - Throws: `SQLError`.
    package func voidPendingState(of account: AccountID) throws {
        try removeLinks(of: account)
        try removePhoneCodes(of: account)
        try removeChallenges(of: account)
        try cancelPendingChanges(of: account)
    }
}

extension AccountRow {
    fileprivate init(
        _ row: SQLRow, identityMethods: [SignInMethod], consents: GivenConsents
    ) throws {
        self.consents = consents
        parentalConsent = try row.optionalInteger("parental_consent")
            .map { number in try ParentalConsentState(stored: number) }
        isAgeVerified =
            try row.optionalTimestamp("age_verified_at_ms") != nil && parentalConsent == nil
        verificationSentAt = try row.optionalTimestamp("verification_sent_at_ms")
        account = try AccountID(stored: row.integer("account"))
        status = try AccountStatus(stored: row.integer("status"))
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
            Photo(rowKey: photo, sealedName: try row.blob("photo_name"))
        }
        onboarding = try OnboardingRecord(row)
        profileCompletedAt = try row.optionalTimestamp("completed_at_ms")
        sessionGeneration = try row.integer("session_generation")
        claims = try StoredClaims(optional: row)
        phone = try row.optionalInteger("phone").map { identity in
            Phone(identity: identity, sealedDetails: try row.blob("phone_details"))
        }
        let opensByPassword = try row.boolean("has_password") && address != nil
        methods =
            (opensByPassword ? [SignInMethod.password] : []) + identityMethods
            + (try row.boolean("has_passkey") ? [.passkey] : [])
    }
}

extension AccountID {
    /// The id of a stored row key.
    /// - Throws: `SQLError` of kind `.unexpectedValue` for a key below 1.
    package init(stored key: Int64) throws(SQLError) {
        guard let account = AccountID(key: key) else {
            throw SQLError(.unexpectedValue, detail: "an account's key below 1")
        }
        self = account
    }
}

extension AccountID {
    /// Parses the id in a request.
    /// - Throws: `rpc/invalid-argument`.
    package static func required(_ text: String) throws(ServiceError) -> AccountID {
        guard let account = AccountID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        return account
    }
}
