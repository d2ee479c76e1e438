import Addresses
import Cryptography
import Messages
import ServiceRuntime

/// A code of six digits (G-06). A million values are few. Guessing is prevented by the limit of
/// five compared guesses (`PhoneCodeRule`) and by the rate limits on numbers.
struct PhoneCode: Hashable, Sendable {
    private static let count = 6
    private static let range: UInt64 = 1_000_000
    /// Maximum length of the entered text, in bytes.
    private static let typedBytesMax = 32

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

    /// The purpose that a caller sends; nil when it is missing or unknown.
    init?(_ message: IdentityV1.PhoneCodePurpose) {
        switch message {
        case .signIn: self = .signIn
        case .link: self = .link
        case .prove: self = .prove
        case .unspecified, .unrecognized: return nil
        }
    }
}

/// The identifier kind of a request for a code: `pcr_…`
enum PhoneCodeKind: IdentifierKind {
    static let prefix = "pcr"
}

/// The id of a request for a code: `pcr_…`
typealias PhoneCodeID = Identifier<PhoneCodeKind>

extension IdentityKeys {
    /// The keyed hash by which a number's records are looked up.
    func lookUpKey(of number: PhoneNumber) -> [UInt8] {
        phones.lookUpKey(Array(number.text.utf8))
    }

    /// The keyed hash of a number in the audit log. It equals that of the phone identity, so that a
    /// code and the sign-ins with it have the same subject.
    func subject(of number: PhoneNumber) -> [UInt8] { subject(of: PhoneIdentity.proved(number)) }
}
