import Addresses
import Cryptography
import Messages
package import ServiceRuntime
package import Storage

/// A code of six digits (G-06). A million values are few. Guessing is prevented by the limit of
/// five compared guesses (`PhoneCodeRule`) and by the rate limits on numbers.
struct PhoneCode: Hashable, Sendable {
    private static let count = 6
    private static let range: UInt64 = 1_000_000
    /// Maximum length of the entered text, in bytes.
    static let typedBytesMax = 32

    let digits: String

    /// A random code. Values above the last multiple of a million are rejected and drawn again,
    /// because their remainders would make some codes more likely.
    static func drawn(from randomness: any Randomness) -> PhoneCode {
        let whole = UInt64.max - UInt64.max % range
        var number = randomness.integer()
        while number >= whole { number = randomness.integer() }
        let digits = String(number % range)
        return PhoneCode(
            digits: String(repeating: "0", count: count - digits.utf8.count) + digits)
    }

    /// The code that a user entered, with or without spaces; nil when it is not six digits.
    init?(typed: String) {
        guard typed.utf8.count <= Self.typedBytesMax else { return nil }
        let digits = typed.filter { $0 != " " }
        guard digits.utf8.count == Self.count,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.digits = digits
    }

    private init(digits: String) { self.digits = digits }
}

/// What a code is bound to. It is invalid for any other request, purpose, account or number.
struct PhoneCodeBinding: Hashable, Sendable {
    let request: PhoneCodeID
    let purpose: PhoneCodePurpose
    /// The account whose session requested the code; nil for a sign-in.
    let account: AccountID?
    /// Keyed hash of the number.
    let numberKey: [UInt8]

    /// The keyed hash of a code, as the store keeps it.
    func hash(of code: PhoneCode, _ keys: IdentityKeys) -> [UInt8] {
        keys.phoneCodes.hash(message(code))
    }

    /// Whether `hash` was made from `code`; compares in constant time.
    func isRight(_ code: PhoneCode, hash: [UInt8], _ keys: IdentityKeys) -> Bool {
        keys.phoneCodes.verifies(hash, of: message(code))
    }

    private func message(_ code: PhoneCode) -> [UInt8] {
        DelimitedParts.joined([
            Array(request.text.utf8), Array("\(purpose.rawValue)".utf8),
            Array((account?.text ?? "").utf8), numberKey, Array(code.digits.utf8),
        ])
    }
}

/// The purpose of a code. Raw values are stored and never change.
enum PhoneCodePurpose: Int64, CaseIterable, Sendable {
    /// Signing in (G-06).
    case signIn = 1
    /// Linking the number to an account (G-14).
    case link = 2
    /// Re-authentication (G-13).
    case prove = 3

    /// The purpose that the owner of a session sends; nil when it is missing or unknown.
    init?(_ message: GatewayV1.PhoneCodePurpose) {
        switch message {
        case .link: self = .link
        case .reauthenticate: self = .prove
        case .unspecified, .unrecognized: return nil
        }
    }
}

extension PhoneCode {
    /// The identifier kind of a request for a code: `pcr_…`
    enum RequestKind: IdentifierKind {
        static let prefix = "pcr"
    }
}

/// The id of a request for a code: `pcr_…`
typealias PhoneCodeID = Identifier<PhoneCode.RequestKind>

extension IdentityKeys {
    /// The keyed hash by which a number's records are looked up.
    func lookUpKey(of number: PhoneNumber) -> [UInt8] {
        phones.lookUpKey(Array(number.text.utf8))
    }

    /// The keyed hash of a number in the audit log. It equals that of the phone identity, so that a
    /// code and the sign-ins with it have the same subject.
    func subject(of number: PhoneNumber) -> [UInt8] {
        subject(of: PhoneIdentity.proved(number.text))
    }
}

/// A code as the store keeps it.
struct StoredPhoneCode: Hashable, Sendable {
    /// How long an expired code is kept at least. During that time a call that used it can be
    /// retried (G-25), and a late guess returns `auth/code-expired` and not "wrong code".
    static let retention: Duration = .seconds(24 * 3_600)

    let binding: PhoneCodeBinding
    /// Keyed hash of the code and its binding.
    let hash: [UInt8]
    var state: PhoneCodeState
}

extension SQLSession {
    /// The code of a request, in any stage; nil when there is none.
    /// - Throws: `SQLError` of kind `.unexpectedValue` for an unknown purpose or stage.
    func phoneCode(_ request: PhoneCodeID) throws -> StoredPhoneCode? {
        try queryOne(
            """
            SELECT purpose, account, number_key, code_hash, stage, evaluated, expires_at_ms
            FROM phone_codes WHERE code = ?
            """, [.integer(request.key)]
        ) { row in
            guard let purpose = PhoneCodePurpose(rawValue: try row.integer("purpose")),
                let stage = PhoneCodeState.Stage(rawValue: try row.integer("stage"))
            else { throw SQLError(.unexpectedValue, detail: "phone_codes.purpose or stage") }
            return StoredPhoneCode(
                binding: PhoneCodeBinding(
                    request: request, purpose: purpose,
                    account: try row.optionalInteger("account").map(AccountID.init(stored:)),
                    numberKey: try row.blob("number_key")),
                hash: try row.blob("code_hash"),
                state: PhoneCodeState(
                    stage: stage, evaluated: Int(clamping: try row.integer("evaluated")),
                    expiresAt: try row.timestamp("expires_at_ms")))
        }
    }
}

extension Transaction {
    /// Inserts a code. The number's live code of the same purpose becomes void.
    func insert(_ code: StoredPhoneCode) throws {
        let binding = code.binding
        try put(
            "UPDATE phone_codes SET stage = ? WHERE number_key = ? AND purpose = ? AND stage = 1",
            [
                .integer(PhoneCodeState.Stage.void.rawValue), .blob(binding.numberKey),
                .integer(binding.purpose.rawValue),
            ])
        try put(
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
        try put(
            "UPDATE phone_codes SET stage = ?, evaluated = ? WHERE code = ?",
            [
                .integer(state.stage.rawValue), .integer(Int64(state.evaluated)),
                .integer(request.key),
            ])
    }

    /// Deletes the codes that an account's sessions have requested, so that they give no access
    /// after a takeover or a deletion.
    func removePhoneCodes(of account: AccountID) throws {
        try lockPhoneCodes(of: account)
        try put("DELETE FROM phone_codes WHERE account = ?", [.integer(account.key)])
    }

    /// Flows about a code decide about its number.
    /// - Throws: `SQLError`.
    package func lockPhoneCodes(of account: AccountID) throws {
        let numbers = try query(
            "SELECT number_key FROM phone_codes WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
        for number in numbers { try lock(.hash(number)) }
    }
}

/// The tables of phone codes and of changed numbers. They contain keyed hashes and integer keys,
/// and no phone numbers (Sources/SECURITY.md, Erasure).
extension IdentityTables {
    /// `phone_codes.account`: the account whose session requested the code; null for a sign-in.
    package static let phoneCodes = """
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
