import Addresses
import Contracts

extension LimitSubject {
    /// The canonical form of a subject, which is hashed, so that equivalent inputs share one
    /// state.
    func canonical(_ subject: String) -> String {
        switch self {
        case .address, .deviceAtAddress: AddressPrefix.of(subject, v6: 8)
        case .site, .siteIPv6, .emailAtSite, .accountAtSite: AddressPrefix.of(subject, v6: 6)
        case .network: AddressPrefix.of(subject, v6: 6, v4: 3)
        case .phoneBlock: PhonePrefix.block(subject)
        case .phoneCountry: PhonePrefix.country(subject)
        case .all, .email, .account, .accountAndProof, .accountOrEmail, .phoneNumber, .codeRequest,
            .knownDevice,
            .owner, .application, .backend, .app:
            subject
        }
    }
}

/// Reduces network addresses to what one person has. An IPv6 address becomes its /64, because each
/// household has 2⁶⁴ addresses and a limit on single ones would have no effect; or its /48, which a
/// provider's customer gets on request. `::ffff:a.b.c.d` becomes `a.b.c.d`. Attack: one caller uses
/// both forms to have two buckets.
enum AddressPrefix {
    /// The canonical form of `subject`, an address with optional text after a `|`. Anything else is
    /// returned unchanged.
    /// - Parameters:
    ///   - v6: bytes used of an IPv6 address: 8 for a /64, 6 for a /48.
    ///   - v4: bytes used of an IPv4 address: 4 for all of it, 3 for a /24.
    static func of(_ subject: String, v6: Int, v4: Int = 4) -> String {
        let parts = subject.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = parts.first, let address = ClientAddress(String(text)) else {
            return subject
        }
        return ([address.networkText(v6: v6, v4: v4)] + parts.dropFirst().map(String.init))
            .joined(separator: "|")
    }
}

/// Reduces phone numbers (E.164) to their leading digits. Text that is not a number is returned
/// unchanged and is its own subject.
enum PhonePrefix {
    /// Digits of a number, E.164 §6.
    private static let digits = 7...15

    /// The number's block of a thousand. Numbers are assigned and rented in blocks. Attack: an
    /// owner of many numbers who earns from each message requests codes to neighbouring ones.
    static func block(_ number: String) -> String {
        isNumber(number) ? number.dropLast(3) + "xxx" : number
    }

    /// The country code with its plus. The North American plan has one code for 25 countries, some
    /// of them expensive, so there it is the area code.
    static func country(_ number: String) -> String {
        guard isNumber(number) else { return number }
        return "+" + CallingCodes.code(of: number.dropFirst())
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "+") && digits.contains(text.utf8.count - 1)
            && text.utf8.dropFirst().allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
