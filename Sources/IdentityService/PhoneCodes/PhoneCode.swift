import Cryptography
import Messages
import PhoneNumbers
import ServiceRuntime

/// Six digits (G-06). A million is few: what keeps a code from being guessed is that five guesses are
/// looked at (`PhoneCodeRule`), and that numbers are limited.
struct PhoneCode: Hashable, Sendable {
    private static let count = 6
    private static let range: UInt64 = 1_000_000
    /// Of what is typed, in bytes.
    private static let typedBytesMax = 32

    let digits: String

    /// A new code. Numbers above the last whole million are drawn again: their remainders would come
    /// up more often than others.
    static func drawn(from randomness: any Randomness) -> PhoneCode {
        let whole = UInt64.max - UInt64.max % range
        var number = randomness.integer()
        while number >= whole { number = randomness.integer() }
        let digits = String(number % range)
        return PhoneCode(
            digits: String(repeating: "0", count: count - digits.utf8.count) + digits)
    }

    /// What a person typed, with or without a space in the middle; nil for what no code looks like.
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

/// What a code is bound to: it is worth nothing for another request, purpose, account or number.
struct PhoneCodeBinding: Hashable, Sendable {
    let request: PhoneCodeID
    let purpose: PhoneCodePurpose
    /// Whose session asked; nil for signing in.
    let account: AccountID?
    /// Keyed hash of the number.
    let numberKey: [UInt8]

    /// What the store keeps of a code.
    func hash(of code: PhoneCode, _ keys: IdentityKeys) -> [UInt8] {
        keys.phoneCodes.hash(message(code))
    }

    /// Whether `code` is the one that `hash` was made of, in constant time.
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

/// What a code is for. Raw values are stored and never change.
enum PhoneCodePurpose: Int64, CaseIterable, Sendable {
    /// To sign in (G-06).
    case signIn = 1
    /// To add the number to an account (G-14).
    case link = 2
    /// To prove oneself again (G-13).
    case prove = 3

    /// The purpose that a caller gives; nil for none, and for one that we do not know.
    init?(_ message: IdentityV1.PhoneCodePurpose) {
        switch message {
        case .signIn: self = .signIn
        case .link: self = .link
        case .prove: self = .prove
        case .unspecified, .unrecognized: return nil
        }
    }
}

/// Names a request for a code: `pcr_…`
enum PhoneCodeKind: IdentifierKind {
    static let prefix = "pcr"
}

/// The id of a request for a code: `pcr_…`
typealias PhoneCodeID = Identifier<PhoneCodeKind>

extension IdentityKeys {
    /// The keyed hash by which what is kept of a number is found.
    func lookUpKey(of number: PhoneNumber) -> [UInt8] {
        phones.lookUpKey(Array(number.text.utf8))
    }

    /// The keyed hash of a number in the audit trail: that of the identity which it is, so that the
    /// sign-ins that follow a code stand beside it.
    func subject(of number: PhoneNumber) -> [UInt8] { subject(of: PhoneIdentity.proved(number)) }
}
