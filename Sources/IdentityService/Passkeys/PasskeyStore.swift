import Cryptography
package import Messages
package import ServiceRuntime
package import Storage

/// A row of `passkeys` (F-01).
package struct PasskeyRow: Hashable, Sendable {
    /// Its id.
    package let passkey: PasskeyID
    /// Whose it is.
    package let account: AccountID
    /// A `StoredPasskey`, sealed under the account's key.
    package let sealedDetails: [UInt8]
    /// The domain to which it belongs.
    package let relyingParty: String
    /// The highest count of its signatures.
    package let signCount: UInt32
    /// BE and BS of the latest signature.
    let backup: AuthenticatorData.Flags
    /// When it was added.
    package let addedAt: Timestamp
    /// When it was last used.
    package let lastUsedAt: Timestamp

    /// Passkeys of one account: of each device and each password manager that a person has.
    package static let countMax = 20
    /// Bytes of a name.
    package static let nameBytesMax = 64

    /// It can be backed up (BE).
    package var isBackupEligible: Bool { backup.contains(.backupEligible) }
    /// It is backed up (BS).
    package var isBackedUp: Bool { backup.contains(.backedUp) }
}

extension PasskeyRow {
    /// What is known of it.
    /// - Throws: if the details do not open.
    package func details(_ vault: AccountVault) throws -> IdentityV1.StoredPasskey {
        try IdentityV1.StoredPasskey(
            decoding: vault.openBytes(sealedDetails, .passkeyDetails(passkey)))
    }

    /// What the rule needs of it.
    func known(_ details: IdentityV1.StoredPasskey) -> KnownPasskey {
        KnownPasskey(
            id: details.credentialId, key: details.publicKey, userHandle: details.userHandle,
            relyingParty: relyingParty, signCount: signCount, backup: backup)
    }

    /// The passkey as its owner sees it.
    /// - Parameter id: The domain of now; nil where passkeys are switched off.
    /// - Throws: if the details do not open.
    func message(_ vault: AccountVault, at id: PasskeyRPID?) throws -> GatewayV1.Passkey {
        let details = try details(vault)
        return GatewayV1.Passkey(
            passkeyId: passkey.text, credentialId: Base64URL.encode(details.credentialId),
            name: details.name, addedAtMs: addedAt.milliseconds,
            lastUsedAtMs: lastUsedAt.milliseconds, isBackedUp: isBackedUp,
            isUnusable: relyingParty != id?.text)
    }
}

/// A passkey that is added.
package struct NewStoredPasskey: Hashable, Sendable {
    let passkey: PasskeyID
    let lookUpKey: [UInt8]
    let sealedDetails: [UInt8]
    let relyingParty: String
    let signCount: UInt32
    let backup: AuthenticatorData.Flags

    /// Seals what is known of a passkey.
    /// - Parameters:
    ///   - flags: BE and BS, as the authenticator has them.
    /// - Throws: when sealing fails.
    init(
        _ details: IdentityV1.StoredPasskey, as passkey: PasskeyID, of relyingParty: String,
        signCount: UInt32, backup: AuthenticatorData.Flags, in vault: AccountVault,
        _ keys: IdentityKeys
    ) throws {
        self.passkey = passkey
        lookUpKey = keys.lookUpKey(ofCredential: details.credentialId)
        sealedDetails = try vault.seal(details.encoded(), .passkeyDetails(passkey))
        self.relyingParty = relyingParty
        self.signCount = signCount
        self.backup = backup
    }
}

extension SQLSession {
    /// The passkeys of an account, the oldest first.
    /// - Throws: `SQLError`.
    package func passkeys(of account: AccountID) throws -> [PasskeyRow] {
        try query(
            """
            SELECT \(PasskeyRow.columns) FROM passkeys WHERE account = ?
            ORDER BY added_at_ms, passkey
            """, [.integer(account.key)], PasskeyRow.init)
    }

    /// The passkey with a look-up key (`IdentityKeys.lookUpKey(ofCredential:)`).
    /// - Throws: `SQLError`.
    func passkey(lookUpKey: [UInt8]) throws -> PasskeyRow? {
        try queryOne(
            "SELECT \(PasskeyRow.columns) FROM passkeys WHERE look_up_key = ?",
            [.blob(lookUpKey)], PasskeyRow.init)
    }

    /// The key of an account, sealed under the service's; nil if there is no such account.
    /// - Throws: `SQLError`.
    func sealedKey(of account: AccountID) throws -> [UInt8]? {
        try queryOne(
            "SELECT sealed_key FROM account_keys WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
    }

    /// Whether an account has a passkey of this domain; none has one where passkeys are switched
    /// off.
    /// - Throws: `SQLError`.
    func hasPasskey(_ account: AccountID, of id: PasskeyRPID?) throws -> Bool {
        guard let id else { return false }
        return try queryOne(
            "SELECT 1 FROM passkeys WHERE account = ? AND relying_party = ? LIMIT 1",
            [.integer(account.key), .text(id.text)]
        ) { _ in true } ?? false
    }

    /// Whether a passkey is the account's second factor, since the operator requires one and it can
    /// be used.
    /// - Throws: `SQLError`.
    package func hasPasskeyAsFactor(
        _ account: AccountID, _ settings: IdentitySettings
    ) throws -> Bool {
        guard settings.countsPasskeys else { return false }
        return try hasPasskey(account, of: settings.passkeys.id)
    }

    /// How many passkeys belong to another domain than this one. Counted once, at the start.
    /// - Throws: `SQLError`.
    func passkeysOfOthers(than id: PasskeyRPID?) throws -> Int {
        let count = try queryOne(
            "SELECT count(*) FROM passkeys WHERE relying_party <> ?", [.text(id?.text ?? "")]
        ) { try $0.integer(0) }
        return Int(clamping: count ?? 0)
    }
}

extension Transaction {
    /// Adds a passkey, used now.
    /// - Throws: `SQLError`, of kind `.constraint(.unique)` if it is there already.
    func insert(_ passkey: NewStoredPasskey, of account: AccountID) throws {
        try put(
            """
            INSERT INTO passkeys (
                passkey, account, look_up_key, details, relying_party, sign_count, flags,
                added_at_ms, last_used_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, passkey.values(of: account, addedAt: at))
    }

    /// Adds a passkey that was imported, unless an account has it already.
    /// - Throws: `SQLError`.
    package func insertImported(
        _ passkey: NewStoredPasskey, of account: AccountID, addedAt: Timestamp
    ) throws {
        try put(
            """
            INSERT INTO passkeys (
                passkey, account, look_up_key, details, relying_party, sign_count, flags,
                added_at_ms, last_used_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (look_up_key) DO NOTHING
            """, passkey.values(of: account, addedAt: addedAt))
    }

    /// Records a use. Attack: two instances verify two signatures at once, and the lower count is
    /// written last; a copy of the passkey would go on unnoticed. So the count only rises.
    func record(_ use: PasskeyUse, of passkey: PasskeyRow) throws {
        try put(
            """
            UPDATE passkeys SET
                sign_count = CASE WHEN ?1 > sign_count THEN ?1 ELSE sign_count END,
                flags = ?2, last_used_at_ms = ?3
            WHERE passkey = ?4 AND account = ?5
            """,
            [
                .integer(Int64(use.signCount)), .integer(Int64(use.backup.rawValue)), SQLValue(at),
                .integer(passkey.passkey.key), .integer(passkey.account.key),
            ])
    }

    /// Stores other details of a passkey.
    func setDetails(_ sealed: [UInt8], of passkey: PasskeyRow) throws {
        try put(
            "UPDATE passkeys SET details = ? WHERE passkey = ? AND account = ?",
            [.blob(sealed), .integer(passkey.passkey.key), .integer(passkey.account.key)])
    }

    /// Removes one passkey of an account.
    func removePasskey(_ passkey: PasskeyID, of account: AccountID) throws {
        try put(
            "DELETE FROM passkeys WHERE passkey = ? AND account = ?",
            [.integer(passkey.key), .integer(account.key)])
    }

    /// Removes all passkeys of an account, and makes the links about them void.
    /// - Throws: `SQLError`.
    package func removePasskeys(of account: AccountID) throws {
        try put("DELETE FROM passkeys WHERE account = ?", [.integer(account.key)])
        try put(
            "DELETE FROM links WHERE account = ? AND substr(about, 1, 4) = ?",
            [.integer(account.key), .text("\(IDKind.Passkey.prefix)_")])
    }

    /// Lets the link about a passkey be about another one, or makes it void.
    func setLink(about passkey: PasskeyID, to next: PasskeyID?, of account: AccountID) throws {
        guard let next else {
            return try put(
                "DELETE FROM links WHERE account = ? AND about = ?",
                [.integer(account.key), .text(passkey.text)])
        }
        try put(
            "UPDATE links SET about = ? WHERE account = ? AND about = ?",
            [.text(next.text), .integer(account.key), .text(passkey.text)])
    }
}

extension NewStoredPasskey {
    /// In the order of the table's columns.
    fileprivate func values(of account: AccountID, addedAt: Timestamp) -> [SQLValue] {
        [
            .integer(passkey.key), .integer(account.key), .blob(lookUpKey), .blob(sealedDetails),
            .text(relyingParty), .integer(Int64(signCount)), .integer(Int64(backup.rawValue)),
            SQLValue(addedAt), SQLValue(addedAt),
        ]
    }
}

extension PasskeyRow {
    fileprivate static let columns = """
        passkey, account, details, relying_party, sign_count, flags, added_at_ms, last_used_at_ms
        """

    fileprivate init(_ row: SQLRow) throws {
        guard let passkey = PasskeyID(key: try row.integer("passkey")) else {
            throw SQLError(.unexpectedValue, detail: "passkeys.passkey")
        }
        self.passkey = passkey
        account = try AccountID(stored: row.integer("account"))
        sealedDetails = try row.blob("details")
        relyingParty = try row.text("relying_party")
        signCount = UInt32(clamping: try row.integer("sign_count"))
        backup = AuthenticatorData.Flags(rawValue: UInt8(clamping: try row.integer("flags")))
        addedAt = try row.timestamp("added_at_ms")
        lastUsedAt = try row.timestamp("last_used_at_ms")
    }
}

/// Passkeys. An older program leaves them alone; if it deletes an account, the rows go too.
extension IdentityTables {
    /// The table `passkeys`. `look_up_key` is a keyed hash of the credential's id; the domain is
    /// the operator's, so it is readable: a start counts those of another one.
    package static let passkeys = """
        CREATE TABLE passkeys (
            passkey INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            look_up_key BLOB NOT NULL,
            details BLOB NOT NULL,
            relying_party TEXT NOT NULL,
            sign_count INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            added_at_ms INTEGER NOT NULL,
            last_used_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX passkeys_by_look_up_key ON passkeys (look_up_key);
        CREATE INDEX passkeys_by_account ON passkeys (account);
        """
}
