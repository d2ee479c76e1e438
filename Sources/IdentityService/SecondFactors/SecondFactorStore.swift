package import Cryptography
package import Messages
package import ServiceRuntime
package import Storage

/// A row of `second_factors`.
package struct SecondFactorRow: Hashable, Sendable {
    /// Its id.
    package let factor: FactorID
    let account: AccountID
    /// Its kind. A name that a later build has stored is none of ours, and satisfies nothing.
    package let kind: String
    /// Sealed under the account's key, as the kind has it (`AuthenticatorApp`).
    package let sealedDetails: [UInt8]
    /// Of an authenticator app: the step of its latest code.
    let lastStep: Int64
    /// When it was added.
    package let addedAt: Timestamp
    /// When it was last used.
    package let lastUsedAt: Timestamp

    /// `kind` of an authenticator app.
    package static let totp = "totp"
    /// Factors of one account. A person has a phone, a spare one, and a safe.
    package static let factorsMax = 3

    var isTOTP: Bool { kind == Self.totp }
}

/// A second factor that is added.
package struct NewSecondFactor: Hashable, Sendable {
    let factor: FactorID
    let kind: String
    let sealedDetails: [UInt8]
    let lastStep: Int64

    /// An authenticator app.
    /// - Parameter lastStep: The step of the code that confirmed it, which counts as used.
    /// - Throws: when sealing fails.
    package init(
        _ app: AuthenticatorApp, as factor: FactorID, in vault: AccountVault, lastStep: Int64
    ) throws {
        self.factor = factor
        kind = SecondFactorRow.totp
        sealedDetails = try vault.seal(app.sealable, .secondFactorDetails(factor))
        self.lastStep = lastStep
    }
}

/// What is known of an authenticator app.
package struct AuthenticatorApp: Hashable, Sendable {
    /// Bytes of a secret. Ours have `TOTP.secretBytes`; imported ones may have others.
    package static let secretBytes = 16...64
    /// Bytes of a name.
    package static let nameBytesMax = 64

    /// The secret that it shares with this service.
    package let secret: SecretBytes
    /// The name that its owner gave it; may be empty.
    package let name: String

    /// An app with a secret of `secretBytes`.
    package init(secret: SecretBytes, name: String) {
        precondition(Self.secretBytes.contains(secret.count), "a secret has 16 to 64 bytes")
        self.secret = secret
        self.name = name
    }

    /// The form that is sealed: the secret's length, the secret, the name.
    fileprivate var sealable: SecretBytes {
        let name = Array(name.utf8)
        return SecretBytes(count: 1 + secret.count + name.count) { buffer in
            buffer[0] = UInt8(secret.count)
            secret.withBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[1...]).copyMemory(from: bytes)
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[(1 + secret.count)...])
                .copyBytes(from: name)
        }
    }

    /// Reads what `sealable` has; nil for anything else.
    fileprivate init?(_ opened: SecretBytes) {
        let read = opened.withBytes { bytes -> (SecretBytes, String)? in
            guard let count = bytes.first.map({ Int($0) }), Self.secretBytes.contains(count),
                bytes.count > count
            else { return nil }
            return (
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[1...count])),
                String(decoding: bytes[(1 + count)...], as: UTF8.self)
            )
        }
        guard let (secret, name) = read else { return nil }
        self.init(secret: secret, name: name)
    }
}

extension SecondFactorRow {
    /// The authenticator app; nil for a factor of another kind.
    /// - Throws: if the details do not open.
    package func app(_ vault: AccountVault) throws -> AuthenticatorApp? {
        guard isTOTP else { return nil }
        guard
            let app = AuthenticatorApp(
                try vault.openSecret(sealedDetails, .secondFactorDetails(factor)))
        else { throw ServiceError(.internalError, detail: "a second factor is malformed") }
        return app
    }

    /// The factor as its owner sees it.
    /// - Parameter showsName: Whether its name, which may be personal, is wanted.
    /// - Throws: if the details do not open.
    package func message(
        _ vault: AccountVault, showsName: Bool = true
    ) throws -> GatewayV1.SecondFactor {
        GatewayV1.SecondFactor(
            factorId: factor.text, kind: kind,
            name: showsName ? try app(vault)?.name ?? "" : "",
            addedAtMs: addedAt.milliseconds, lastUsedAtMs: lastUsedAt.milliseconds)
    }
}

/// A removal of all second factors that waits.
package struct WaitingReset: Hashable, Sendable {
    /// When it is done.
    package let dueAt: Timestamp
    /// Why, sealed under the account's key.
    package let sealedReason: [UInt8]
}

extension SQLSession {
    /// The second factors of an account, the oldest first.
    /// - Throws: `SQLError`.
    package func secondFactors(of account: AccountID) throws -> [SecondFactorRow] {
        try query(
            """
            SELECT factor, account, kind, details, last_step, added_at_ms, last_used_at_ms
            FROM second_factors WHERE account = ? ORDER BY added_at_ms, factor
            """, [.integer(account.key)], SecondFactorRow.init)
    }

    /// Whether an account has a second factor. No column says so (`SecondFactors`).
    /// - Throws: `SQLError`.
    package func hasSecondFactor(_ account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM second_factors WHERE account = ? LIMIT 1", [.integer(account.key)]
        ) { _ in true } ?? false
    }

    /// How many recovery codes an account has.
    /// - Throws: `SQLError`.
    package func recoveryCodes(of account: AccountID) throws -> Int {
        let count = try queryOne(
            "SELECT count(*) FROM recovery_codes WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }

    /// The removal of an account's second factors, if one waits.
    /// - Throws: `SQLError`.
    package func secondFactorReset(of account: AccountID) throws -> WaitingReset? {
        try queryOne(
            """
            SELECT second_factor_reset_at_ms, second_factor_reset_reason FROM accounts
            WHERE account = ? AND second_factor_reset_at_ms IS NOT NULL
            """, [.integer(account.key)]
        ) { WaitingReset(dueAt: try $0.timestamp(0), sealedReason: try $0.blob(1)) }
    }
}

extension Transaction {
    /// Adds a second factor, used now.
    /// - Throws: `SQLError`.
    package func insert(_ factor: NewSecondFactor, of account: AccountID) throws {
        try put(
            """
            INSERT INTO second_factors
                (factor, account, kind, details, last_step, added_at_ms, last_used_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(factor.factor.key), .integer(account.key), .text(factor.kind),
                .blob(factor.sealedDetails), .integer(factor.lastStep), SQLValue(at),
                SQLValue(at),
            ])
    }

    /// Uses a step of an authenticator app, and with it all before.
    /// - Returns: whether this is its first use.
    func use(_ step: Int64, of factor: SecondFactorRow) throws -> Bool {
        try execute(
            """
            UPDATE second_factors SET last_step = ?1, last_used_at_ms = ?2
            WHERE factor = ?3 AND account = ?4 AND last_step < ?1
            """,
            [
                .integer(step), SQLValue(at), .integer(factor.factor.key),
                .integer(factor.account.key),
            ]) == 1
    }

    /// Removes one factor of an account.
    /// - Returns: whether it was there.
    func removeSecondFactor(_ factor: FactorID, of account: AccountID) throws -> Bool {
        try execute(
            "DELETE FROM second_factors WHERE factor = ? AND account = ?",
            [.integer(factor.key), .integer(account.key)]) == 1
    }

    /// Switches the second factor of an account off: removes all factors, the recovery codes, the
    /// links about a first factor, and a removal that waits. Sign-ins that wait for a second proof
    /// end.
    /// - Parameter keepsCodes: The recovery codes stay, for a passkey that counts as a second
    ///   factor.
    /// - Throws: `SQLError`.
    package func removeSecondFactors(
        of account: AccountID, keepingCodes keepsCodes: Bool = false
    ) throws {
        try put("DELETE FROM second_factors WHERE account = ?", [.integer(account.key)])
        if !keepsCodes { try removeRecoveryCodes(of: account) }
        try removeChallenges(of: account)
        try removeLinksAboutFactors(of: account)
        _ = try endSecondFactorReset(of: account)
    }

    /// Makes all recovery codes of an account void.
    func removeRecoveryCodes(of account: AccountID) throws {
        try put("DELETE FROM recovery_codes WHERE account = ?", [.integer(account.key)])
    }

    /// Stores the codes of an account in place of its former ones.
    /// - Parameter hashes: Their keyed hashes.
    func replaceRecoveryCodes(
        of account: AccountID, with hashes: [[UInt8]], _ randomness: any Randomness
    ) throws {
        try removeRecoveryCodes(of: account)
        for hash in hashes {
            try put(
                "INSERT INTO recovery_codes (code, account, look_up_key) VALUES (?, ?, ?)",
                [.integer(randomness.rowKey()), .integer(account.key), .blob(hash)])
        }
    }

    /// Uses a recovery code up.
    /// - Returns: whether it was one of the account's.
    func useRecoveryCode(_ hash: [UInt8], of account: AccountID) throws -> Bool {
        try execute(
            "DELETE FROM recovery_codes WHERE look_up_key = ? AND account = ?",
            [.blob(hash), .integer(account.key)]) == 1
    }

    /// Makes the links void that would remove second factors which the account no longer has: the
    /// owner may set one up again, and an old mail must not remove that one.
    private func removeLinksAboutFactors(of account: AccountID) throws {
        try put(
            "DELETE FROM links WHERE account = ? AND substr(about, 1, 4) = ?",
            [.integer(account.key), .text("\(IDKind.Factor.prefix)_")])
    }

    /// Records a removal that waits.
    func waitForSecondFactorReset(
        of account: AccountID, until dueAt: Timestamp, sealedReason: [UInt8]
    ) throws {
        try put(
            """
            UPDATE accounts SET second_factor_reset_at_ms = ?, second_factor_reset_reason = ?
            WHERE account = ?
            """, [SQLValue(dueAt), .blob(sealedReason), .integer(account.key)])
    }

    /// Ends a removal that waits, and makes the link void that keeps the factors.
    /// - Returns: whether one waited.
    func endSecondFactorReset(of account: AccountID) throws -> Bool {
        let isEnded =
            try execute(
                """
                UPDATE accounts
                SET second_factor_reset_at_ms = NULL, second_factor_reset_reason = NULL
                WHERE account = ? AND second_factor_reset_at_ms IS NOT NULL
                """, [.integer(account.key)]) == 1
        if isEnded { try removeLinks(.keepSecondFactors, of: account) }
        return isEnded
    }
}

extension SecondFactorRow {
    fileprivate init(_ row: SQLRow) throws {
        guard let factor = FactorID(key: try row.integer("factor")) else {
            throw SQLError(.unexpectedValue, detail: "second_factors.factor")
        }
        self.factor = factor
        account = try AccountID(stored: row.integer("account"))
        kind = try row.text("kind")
        sealedDetails = try row.blob("details")
        lastStep = try row.integer("last_step")
        addedAt = try row.timestamp("added_at_ms")
        lastUsedAt = try row.timestamp("last_used_at_ms")
    }
}

/// Second factors, and what belongs to them. An older program leaves them alone; if it deletes an
/// account, the rows go too.
extension IdentityTables {
    /// The tables `second_factors` and `recovery_codes`, and the removal that waits.
    package static let secondFactors = """
        CREATE TABLE second_factors (
            factor INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            kind TEXT NOT NULL,
            details BLOB NOT NULL,
            last_step INTEGER NOT NULL,
            added_at_ms INTEGER NOT NULL,
            last_used_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX second_factors_by_account ON second_factors (account);
        CREATE TABLE recovery_codes (
            code INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            look_up_key BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX recovery_codes_by_look_up_key ON recovery_codes (look_up_key);
        CREATE INDEX recovery_codes_by_account ON recovery_codes (account);
        ALTER TABLE accounts ADD COLUMN second_factor_reset_at_ms INTEGER;
        ALTER TABLE accounts ADD COLUMN second_factor_reset_reason BLOB;
        CREATE INDEX accounts_by_second_factor_reset
            ON accounts (second_factor_reset_at_ms) WHERE second_factor_reset_at_ms IS NOT NULL;
        """
}
