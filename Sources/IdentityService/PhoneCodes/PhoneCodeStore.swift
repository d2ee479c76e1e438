import ServiceRuntime
import Storage

/// A code as the store keeps it.
struct KeptPhoneCode: Hashable, Sendable {
    let binding: PhoneCodeBinding
    /// Keyed hash of the code and its binding.
    let hash: [UInt8]
    var state: PhoneCodeState
}

extension SQLSession {
    /// The code of a request, in any stage; nil when there is none.
    /// - Throws: `SQLError` of kind `.unexpectedValue` for an unknown purpose or stage.
    func phoneCode(_ request: PhoneCodeID) throws -> KeptPhoneCode? {
        try queryOne(
            """
            SELECT purpose, account, number_key, code_hash, stage, evaluated, expires_at_ms
            FROM phone_codes WHERE code = ?
            """, [.integer(request.key)]
        ) { row in
            guard let purpose = PhoneCodePurpose(rawValue: try row.integer(0)),
                let stage = PhoneCodeState.Stage(rawValue: try row.integer(4))
            else { throw SQLError(.unexpectedValue, detail: "phone_codes.purpose or stage") }
            return KeptPhoneCode(
                binding: PhoneCodeBinding(
                    request: request, purpose: purpose,
                    account: try row.optionalInteger(1).map(AccountID.init(stored:)),
                    numberKey: try row.blob(2)),
                hash: try row.blob(3),
                state: PhoneCodeState(
                    stage: stage, evaluated: Int(clamping: try row.integer(5)),
                    expiresAt: try row.timestamp(6)))
        }
    }
}

extension Transaction {
    /// How long an expired code is kept. During that time a call that used it can be retried
    /// (G-25), and a late guess returns `auth/code-expired` and not "wrong code".
    private static var keptFor: Duration { .seconds(24 * 3_600) }

    /// Inserts a code. The number's live code of the same purpose becomes void.
    func insert(_ code: KeptPhoneCode) throws {
        try purge("phone_codes", key: "code", expiry: "expires_at_ms", until: at - Self.keptFor)
        let binding = code.binding
        try execute(
            "UPDATE phone_codes SET stage = ? WHERE number_key = ? AND purpose = ? AND stage = 1",
            [
                .integer(PhoneCodeState.Stage.void.rawValue), .blob(binding.numberKey),
                .integer(binding.purpose.rawValue),
            ])
        try execute(
            """
            INSERT INTO phone_codes (
                code, number_key, purpose, account, code_hash, stage, evaluated, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(binding.request.key), .blob(binding.numberKey),
                .integer(binding.purpose.rawValue), SQLValue(binding.account?.key),
                .blob(code.hash), .integer(code.state.stage.rawValue),
                .integer(Int64(code.state.evaluated)), SQLValue(code.state.expiresAt),
            ])
    }

    /// Updates the state of a code.
    func setPhoneCode(_ request: PhoneCodeID, _ state: PhoneCodeState) throws {
        try execute(
            "UPDATE phone_codes SET stage = ?, evaluated = ? WHERE code = ?",
            [
                .integer(state.stage.rawValue), .integer(Int64(state.evaluated)),
                .integer(request.key),
            ])
    }

    /// Deletes the codes that an account's sessions have requested, so that they give no access
    /// after a takeover or a deletion.
    func removePhoneCodes(of account: AccountID) throws {
        try execute("DELETE FROM phone_codes WHERE account = ?", [.integer(account.key)])
    }
}

/// The tables of phone codes and of changed numbers. They contain keyed hashes and integer keys,
/// and no phone numbers (Sources/SECURITY.md, Erasure).
enum PhoneCodeTables {
    /// `phone_codes.account`: the account whose session requested the code; null for a sign-in.
    static let sql = """
        CREATE TABLE phone_codes (
            code INTEGER PRIMARY KEY,
            number_key BLOB NOT NULL,
            purpose INTEGER NOT NULL,
            account INTEGER,
            code_hash BLOB NOT NULL,
            stage INTEGER NOT NULL,
            evaluated INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX phone_codes_live ON phone_codes (number_key, purpose) WHERE stage = 1;
        CREATE INDEX phone_codes_by_account ON phone_codes (account) WHERE account IS NOT NULL;
        CREATE INDEX phone_codes_by_expiry ON phone_codes (expires_at_ms);
        CREATE TABLE number_changes (
            change INTEGER PRIMARY KEY AUTOINCREMENT,
            number_key BLOB NOT NULL,
            told_at_ms INTEGER NOT NULL,
            confirmed_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX number_changes_by_number ON number_changes (number_key);
        CREATE INDEX number_changes_by_age ON number_changes (told_at_ms);
        """
}
