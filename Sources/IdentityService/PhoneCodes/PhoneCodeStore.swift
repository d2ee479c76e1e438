import ServiceRuntime
import Storage

/// A code as it is kept.
struct KeptPhoneCode: Hashable, Sendable {
    let binding: PhoneCodeBinding
    /// Keyed hash of the code and all that it is bound to.
    let hash: [UInt8]
    var state: PhoneCodeState
}

extension SQLSession {
    /// The code of a request, whatever has become of it.
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
    /// For so long a call that used a code can be answered again (G-25), and a late code is told
    /// apart from a wrong one.
    private static var keptFor: Duration { .seconds(24 * 3_600) }

    /// Writes a code; the number's former one of that purpose is void.
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

    /// Writes where a code stands.
    func setPhoneCode(_ request: PhoneCodeID, _ state: PhoneCodeState) throws {
        try execute(
            "UPDATE phone_codes SET stage = ?, evaluated = ? WHERE code = ?",
            [
                .integer(state.stage.rawValue), .integer(Int64(state.evaluated)),
                .integer(request.key),
            ])
    }

    /// Forgets the codes that an account's sessions have asked for: what a takeover or a deletion
    /// leaves behind must open nothing.
    func removePhoneCodes(of account: AccountID) throws {
        try execute("DELETE FROM phone_codes WHERE account = ?", [.integer(account.key)])
    }
}
