package import ServiceRuntime
package import Storage

/// A row of `sign_in_challenges`.
struct StoredChallenge: Hashable, Sendable {
    /// A code that was sent for it.
    struct Code: Hashable, Sendable {
        let kind: SecondProofKind
        /// Keyed hash of the challenge and the code.
        let hash: [UInt8]
        let expiresAt: Timestamp
    }

    /// Drawn at random: the token is made of it.
    let challenge: Int64
    let account: AccountID
    /// The account's session generation when it began.
    let generation: Int64
    let reasons: SecondProofReasons
    let kinds: [SecondProofKind]
    /// As `ChallengedCall.device`.
    let device: [UInt8]
    /// The account knew the device when it began.
    let isOnKnownDevice: Bool
    /// A `WaitingSignIn`, sealed under the account's key.
    let sealedDetails: [UInt8]
    var code: Code?
    var attempts: Int64 = 0
    let expiresAt: Timestamp
    var usedAt: Timestamp?
}

extension SQLSession {
    /// The challenge of a token, in any state, as the device that began it may see it; nil for none.
    /// - Throws: `SQLError`.
    func challenge(tokenHash: [UInt8], on device: [UInt8]) throws -> StoredChallenge? {
        let found = try queryOne(
            """
            SELECT challenge, account, session_generation, reason, kinds, device, is_known_device,
                details, code_kind, code_hash, code_expires_at_ms, attempts, expires_at_ms,
                used_at_ms
            FROM sign_in_challenges WHERE token_hash = ?
            """, [.blob(tokenHash)], StoredChallenge.init)
        return found.flatMap { $0.device == device ? $0 : nil }
    }
}

extension Transaction {
    /// Inserts a challenge. If the account has `ChallengeRule.liveMax` others, one of them ends.
    /// - Throws: `SQLError`.
    func insert(_ challenge: StoredChallenge, tokenHash: [UInt8]) throws {
        let account = SQLValue.integer(challenge.account.key)
        let live = try queryOne(
            """
            SELECT count(*) FROM sign_in_challenges
            WHERE account = ? AND used_at_ms IS NULL AND expires_at_ms > ?
            """, [account, SQLValue(at)]
        ) { try $0.integer(0) }
        if live ?? 0 >= ChallengeRule.liveMax { try endOldestChallenge(of: challenge.account) }
        try put(
            """
            INSERT INTO sign_in_challenges (
                challenge, token_hash, account, session_generation, reason, kinds, device,
                is_known_device, details, attempts, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            """,
            [
                .integer(challenge.challenge), .blob(tokenHash), account,
                .integer(challenge.generation), .integer(challenge.reasons.rawValue),
                .text(challenge.kinds.map(\.rawValue).joined(separator: " ")),
                .blob(challenge.device), .integer(challenge.isOnKnownDevice ? 1 : 0),
                .blob(challenge.sealedDetails), SQLValue(challenge.expiresAt),
            ])
    }

    /// Deletes the oldest live challenge from an unknown device; if there is none, the oldest.
    private func endOldestChallenge(of account: AccountID) throws {
        try put(
            """
            DELETE FROM sign_in_challenges
            WHERE account = ?1 AND used_at_ms IS NULL AND expires_at_ms > ?2 AND challenge = (
                SELECT challenge FROM sign_in_challenges
                WHERE account = ?1 AND used_at_ms IS NULL AND expires_at_ms > ?2
                ORDER BY is_known_device, expires_at_ms, challenge LIMIT 1)
            """, [.integer(account.key), SQLValue(at)])
    }

    /// Uses a challenge.
    /// - Returns: whether this is its first use.
    func use(_ challenge: StoredChallenge) throws -> Bool {
        try execute(
            "UPDATE sign_in_challenges SET used_at_ms = ? WHERE challenge = ? AND used_at_ms IS NULL",
            [SQLValue(at), .integer(challenge.challenge)]) == 1
    }

    /// Counts a wrong proof.
    /// - Returns: how many there are.
    func countAttempt(at challenge: StoredChallenge) throws -> Int64 {
        try queryOne(
            """
            UPDATE sign_in_challenges SET attempts = attempts + 1 WHERE challenge = ?
            RETURNING attempts
            """, [.integer(challenge.challenge)]
        ) { try $0.integer(0) } ?? ChallengeRule.attemptsMax
    }

    /// Stores a code that is sent for a challenge, in place of an earlier one.
    func set(_ code: StoredChallenge.Code, of challenge: StoredChallenge) throws {
        try put(
            """
            UPDATE sign_in_challenges
            SET code_kind = ?, code_hash = ?, code_expires_at_ms = ? WHERE challenge = ?
            """,
            [
                .text(code.kind.rawValue), .blob(code.hash), SQLValue(code.expiresAt),
                .integer(challenge.challenge),
            ])
    }

    /// Ends all challenges of an account: a proof of before must not complete a sign-in of after.
    /// - Throws: `SQLError`.
    package func removeChallenges(of account: AccountID) throws {
        try put(
            "DELETE FROM sign_in_challenges WHERE account = ?", [.integer(account.key)])
    }

    /// Whether an account knows a device.
    func isKnown(_ deviceKey: [UInt8], of account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM known_devices WHERE account = ? AND device_key = ?",
            [.integer(account.key), .blob(deviceKey)]
        ) { try $0.integer(0) } != nil
    }
}

extension StoredChallenge {
    /// - Throws: `SQLError` of kind `.unexpectedValue` for an unknown kind.
    fileprivate init(_ row: SQLRow) throws {
        challenge = try row.integer("challenge")
        account = try AccountID(stored: row.integer("account"))
        generation = try row.integer("session_generation")
        reasons = SecondProofReasons(rawValue: try row.integer("reason"))
        kinds = try row.text("kinds").split(separator: " ").map { try Self.kind(String($0)) }
        device = try row.blob("device")
        isOnKnownDevice = try row.boolean("is_known_device")
        sealedDetails = try row.blob("details")
        if let kind = try row.optionalText("code_kind") {
            code = Code(
                kind: try Self.kind(kind), hash: try row.blob("code_hash"),
                expiresAt: try row.timestamp("code_expires_at_ms"))
        }
        attempts = try row.integer("attempts")
        expiresAt = try row.timestamp("expires_at_ms")
        usedAt = try row.optionalTimestamp("used_at_ms")
    }

    private static func kind(_ name: String) throws(SQLError) -> SecondProofKind {
        guard let kind = SecondProofKind(rawValue: name) else {
            throw SQLError(.unexpectedValue, detail: "sign_in_challenges.kinds")
        }
        return kind
    }
}

extension IdentityTables {
    /// Sign-ins that wait for a second proof (F-03). `reason` are bits of `SecondProofReasons`;
    /// `kinds` and `code_kind` are names of `SecondProofKind`.
    package static let signInChallenges = """
        CREATE TABLE sign_in_challenges (
            challenge INTEGER PRIMARY KEY,
            token_hash BLOB NOT NULL,
            account INTEGER NOT NULL REFERENCES accounts,
            session_generation INTEGER NOT NULL,
            reason INTEGER NOT NULL,
            kinds TEXT NOT NULL,
            device BLOB NOT NULL,
            is_known_device INTEGER NOT NULL,
            details BLOB NOT NULL,
            code_kind TEXT,
            code_hash BLOB,
            code_expires_at_ms INTEGER,
            attempts INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL,
            used_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX sign_in_challenges_by_token_hash ON sign_in_challenges (token_hash);
        CREATE INDEX sign_in_challenges_by_account ON sign_in_challenges (account);
        CREATE INDEX sign_in_challenges_by_expiry ON sign_in_challenges (expires_at_ms);
        """
}
