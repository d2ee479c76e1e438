import Cryptography
import ServiceRuntime

/// A recovery code: 65 random bits in thirteen characters of Crockford's base32 (F-04). NIST SP
/// 800-63B-4, 3.1.2 asks for 64 bits where wrong ones are not counted by account: nobody guesses it,
/// so `second-proof-by-address` is its only limit. Source: https://www.crockford.com/base32.html
struct RecoveryCode: Hashable, Sendable {
    /// How many an account gets at one time.
    static let count = 10
    /// With fewer than these left, the mail about a use says so.
    static let few = 3

    /// Maximum length of the entered text, in bytes.
    static let typedBytesMax = 64

    private static let characters = 13
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    /// `K7M2-9QXE-4TW0Z`.
    private static let groupEnds = [4, 8]

    /// In `alphabet`, without separators.
    private let text: SecretBytes

    /// A random code.
    static func drawn(from randomness: any Randomness) -> RecoveryCode {
        var random = randomness.bytes(characters)
        // 32 divides 256, so each character is as likely as another.
        for place in random.indices { random[place] = alphabet[Int(random[place] & 31)] }
        return RecoveryCode(text: SecretBytes(taking: &random))
    }

    /// Reads what a person typed: in either case, with or without hyphens and spaces, and with the
    /// letters that look like digits; nil for anything else.
    init?(typed: SecretBytes) {
        guard typed.count <= Self.typedBytesMax else { return nil }
        var kept: [UInt8] = []
        // No copy is left behind by growing.
        kept.reserveCapacity(Self.typedBytesMax)
        var isCode = true
        typed.withBytes { bytes in
            for byte in bytes where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
                if let character = Self.character(byte) {
                    kept.append(character)
                } else {
                    isCode = false
                }
            }
        }
        isCode = isCode && kept.count == Self.characters
        text = SecretBytes(taking: &kept)
        guard isCode else { return nil }
    }

    private init(text: SecretBytes) {
        self.text = text
    }

    /// The code as people write it down, in groups.
    var shown: String {
        text.withBytes { bytes in
            var shown = ""
            for (place, byte) in bytes.enumerated() {
                if Self.groupEnds.contains(place) { shown += "-" }
                shown.unicodeScalars.append(Unicode.Scalar(byte))
            }
            return shown
        }
    }

    /// Lends the characters, without separators.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try text.withBytes(body)
    }

    /// The keyed hash by which the store finds it, differently in each account.
    func lookUpKey(in account: AccountID, _ keys: IdentityKeys) -> [UInt8] {
        var message = DelimitedParts.joined([Array(account.text.utf8)])
        message.reserveCapacity(message.count + text.count)
        text.withBytes { bytes in message += bytes }
        defer { wipe(&message) }
        return keys.recoveryCodes.lookUpKey(message)
    }

    /// The alphabet's character that a typed one stands for; nil for none.
    private static func character(_ typed: UInt8) -> UInt8? {
        let upper =
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(typed) ? typed - 32 : typed
        return switch upper {
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        default: alphabet.contains(upper) ? upper : nil
        }
    }
}
