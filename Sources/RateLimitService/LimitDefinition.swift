import Addresses
package import Contracts
import Glibc

/// The properties of one limit: a row of `LimitDefinitions.swift`.
struct LimitDefinition: Sendable {
    /// Who charges a limit.
    enum Charger: Sendable {
        /// A flow of the gateway.
        case flow
        /// Only this service, as a part of others.
        case limiter
        /// The same, and the operator may not change it: with other numbers, known devices would be
        /// forgotten without notice.
        case limiterFixed
    }

    let limit: LimitName
    /// How much is allowed, unless the operator overrides it.
    let rule: LimitRule
    /// How its subject is canonicalised.
    let subject: LimitSubject
    /// Which class of the table's capacity its subjects use.
    let capacity: CapacityClass
    /// The sentence that a limited user gets.
    let wording: LimitWording
    /// Whether a response waits until the charge is on disk, so that a crash allows no further
    /// guesses.
    let isDurable: Bool
    /// The number of buckets that its subjects share without a state of their own, as a power of
    /// two; 2^18 in all. Password resets have the most, because they are the last way to sign in;
    /// then passwords.
    let bucketBits: Int
    let charger: Charger
}

/// How a subject is canonicalised before hashing, so that equivalent inputs share one bucket.
enum LimitSubject: Sendable {
    /// Unchanged: an email that the gateway has normalised, or an account.
    case text
    /// An address with optional text after a `|`: what one household has, IPv6 by /64.
    case address
    /// The same for what one customer has, IPv6 by /48.
    case site
    /// The same for what one customer is likely to have in one range, IPv6 by /48 and IPv4 by /24.
    /// It distinguishes one attacker from many; it must not be used to refuse the attacker's
    /// neighbours.
    case network
    /// A phone number: its block of a thousand.
    case phoneBlock
    /// A phone number: its country.
    case phoneCountry

    /// The canonical form of a subject.
    func canonical(_ subject: String) -> String {
        switch self {
        case .text: subject
        case .address: AddressPrefix.of(subject, v6: 8)
        case .site: AddressPrefix.of(subject, v6: 6)
        case .network: AddressPrefix.of(subject, v6: 6, v4: 3)
        case .phoneBlock: PhonePrefix.block(subject)
        case .phoneCountry: PhonePrefix.country(subject)
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

/// Which class of the table's capacity a limit's subjects use (`TableLayout`), by what an attacker
/// needs to create a further subject.
///
///     class     a further subject needs            limits
///     address   another address or application     those on addresses, on devices at an address,
///                                                  and on applications
///     account   a session, or a device that the    those that only a signed-in or a known caller
///               account knows                      reaches
///     text      a text: an email or a number       all whose subject a stranger can name
///
/// A flood in one class does not affect the others. Marks of known devices have a table of their
/// own.
enum CapacityClass: Int, CaseIterable, Sendable {
    case address = 0
    case account = 1
    case text = 2
}

extension LimitName {
    /// Its number in the store; never reused. It is also its index in the tables in memory.
    package var number: UInt16 {
        switch self {
        case .failedSignInByDevice: 1
        case .failedSignInByAddress: 2
        case .failedSignInByAccount: 3
        case .signUpByAddress: 4
        case .signUpOnTakenEmail: 5
        case .unaddressedByApplication: 6
        case .failedSignInByKnownDevice: 7
        case .failedProviderByDevice: 8
        case .failedProviderByAddress: 9
        case .phoneCodeRequest: 10
        case .phoneCodeByAddress: 11
        case .phoneCodeByBlock: 12
        case .phoneCodeByCountry: 13
        case .phoneCodeGuess: 14
        case .verificationMailByAccount: 15
        case .passwordResetByEmail: 16
        case .profileUpdateByAccount: 17
        case .signInFailuresOverall: 18
        case .signInWithoutHistory: 19
        case .knownDevice: 20
        case .newDeviceByAccount: 21
        case .failedProviderByAccount: 22
        case .failedProviderByKnownDevice: 23
        case .phoneCodeGuessByKnownDevice: 24
        case .guestSignUpByAddress: 25
        case .failedSignInBySite: 26
        case .failedSignInInARow: 27
        case .phoneCodeFirstGuess: 28
        case .phoneCodeGuessByAddress: 29
        case .passwordResetByAddress: 30
        case .mailByTarget: 31
        case .signInFailuresBySite: 32
        case .signInWithoutHistoryBySite: 33
        case .devicesForgotten: 34
        case .newSubjectsBySite: 35
        case .newSubjectsByApplication: 36
        case .passwordCheckByAddress: 37
        case .newAccountByApp: 38
        case .documentWriteByAccount: 39
        case .guestBundleByAccount: 40
        case .deletionLinkByEmail: 41
        case .parentalMailByAccount: 42
        case .exportByAccount: 43
        case .deletionByAccount: 44
        case .documentWorkByAccount: 45
        case .signInByAccount: 46
        }
    }

    /// How many places a table by number needs. Numbers are never reused, so that of a removed
    /// limit stays empty, as 0 does.
    static let numberEnd = Int(allCases.map(\.number).max() ?? 0) + 1

    /// How much is allowed, unless the operator overrides it.
    package var rule: LimitRule { definition.rule }

    /// Whether charges to it can have an amount. The operator cannot change that.
    var takesAmounts: Bool { CountingRule(rule).takesAmounts }

    /// Whether only this service charges it, as a part of others.
    var isInternal: Bool { definition.charger != .flow }

    /// Whether the operator may change it.
    var isOperators: Bool { definition.charger != .limiterFixed }

    /// The limit with that number in the store.
    init?(number: UInt16) {
        guard Self.byNumber.indices.contains(Int(number)), let limit = Self.byNumber[Int(number)]
        else { return nil }
        self = limit
    }

    /// The limit with this name; nil if there is none. Faster than `init(rawValue:)`, which
    /// compares with one name after the other. Few names have the same length, so no hash is
    /// needed.
    static func called(_ name: String) -> LimitName? {
        var name = name
        return name.withUTF8 { name in
            guard byLength.indices.contains(name.count), let start = name.baseAddress else {
                return nil
            }
            return byLength[name.count].first { memcmp($0.name, start, name.count) == 0 }?.limit
        }
    }

    /// Each limit with the bytes of its name, by their number.
    private static let byLength: [[(name: [UInt8], limit: LimitName)]] = {
        let names = allCases.map { (name: Array($0.rawValue.utf8), limit: $0) }
        let longest = names.map(\.name.count).max() ?? 0
        return (0...longest).map { length in names.filter { $0.name.count == length } }
    }()

    private static let byNumber: [LimitName?] = {
        (0..<numberEnd).map { number in allCases.first { Int($0.number) == number } }
    }()
}
