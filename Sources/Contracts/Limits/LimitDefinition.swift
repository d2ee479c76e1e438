/// All that is declared about one limit: a row of `PasswordLimits.swift`, `PhoneLimits.swift`,
/// `SecondProofLimits.swift`, `AccountLimits.swift` or `TableLimits.swift`. What a flow does when
/// the rate limiter does not answer is decided in the gateway (`LimitedFlow`, R-07).
package struct LimitDefinition: Sendable {
    /// Who charges a limit.
    package enum Charger: Sendable {
        /// A flow of the gateway.
        case flow
        /// Only the rate limiter, as a part of others.
        case limiter
        /// The same, and the operator may not change it: with other numbers, known devices would be
        /// forgotten without notice.
        case limiterFixed
    }

    /// The limit.
    package let limit: LimitName
    /// Its name on the wire, in the operator's file and in metrics.
    package let name: String
    /// How much is allowed, unless the operator overrides it.
    package let rule: LimitRule
    /// What it counts.
    package let subject: LimitSubject
    /// Which class of the table's capacity its subjects use.
    package let capacity: CapacityClass
    /// The sentence that a limited user gets.
    package let wording: LimitWording
    /// Whether a response waits until the charge is on disk, so that a crash allows no further
    /// guesses.
    package let isDurable: Bool
    /// The number of buckets that its subjects share without a state of their own, as a power of
    /// two; 2^18 in all. Password resets have the most, because they are the last way to sign in;
    /// then passwords.
    package let bucketBits: Int
    /// Who charges it.
    package let charger: Charger
    /// Whether it is about the account or number that a guess is at, and not about the guesser's
    /// address.
    package let isAboutGuessed: Bool

    // For people, as the tables of `RateLimitService/README.md` have it. `StaticString`, so that
    // reading a row counts no references.

    /// What is counted.
    package let filledBy: StaticString
    /// Who is refused when it is full.
    package let refuses: StaticString
    /// What an attacker can do with it to others.
    package let abuse: StaticString
    /// How the owner can still sign in.
    package let wayIn: StaticString

    /// A row. What is left out is what most limits have.
    init(
        _ limit: LimitName, _ name: String, _ rule: LimitRule, of subject: LimitSubject,
        in capacity: CapacityClass, says wording: LimitWording = .attempt,
        isDurable: Bool = true, buckets bucketBits: Int = 10, by charger: Charger = .flow,
        isAboutGuessed: Bool = false, filledBy: StaticString, refuses: StaticString,
        abuse: StaticString, wayIn: StaticString = ""
    ) {
        self.limit = limit
        self.name = name
        self.rule = rule
        self.subject = subject
        self.capacity = capacity
        self.wording = wording
        self.isDurable = isDurable
        self.bucketBits = bucketBits
        self.charger = charger
        self.isAboutGuessed = isAboutGuessed
        self.filledBy = filledBy
        self.refuses = refuses
        self.abuse = abuse
        self.wayIn = wayIn
    }
}

/// The limits in groups, each with a table in `RateLimitService/README.md` under its heading.
package enum LimitGroup: String, CaseIterable, Sendable {
    /// Passwords, tokens of providers, and passkeys.
    case passwords = "Guesses at passwords"
    /// Messages to phones, and guesses at codes.
    case phones = "Codes to phones"
    /// Second proofs of sign-ins.
    case secondProofs = "Second proofs"
    /// All else that callers do.
    case accounts = "Accounts, mails and changes"
    /// New subjects.
    case capacity = "Capacity"
    /// Marks of known devices.
    case devices = "Known devices"
    /// Sites that many people share.
    case sites = "Shared sites"

    /// Its rows.
    package var limits: [LimitDefinition] {
        switch self {
        case .passwords: passwordLimits
        case .phones: phoneLimits
        case .secondProofs: secondProofLimits
        case .accounts: accountLimits
        case .capacity: capacityLimits
        case .devices: deviceLimits
        case .sites: siteLimits
        }
    }
}

extension LimitRule {
    /// A sliding window.
    static func window(_ count: Int, minutes: Int) -> LimitRule {
        .slidingWindow(count: count, window: .seconds(minutes * 60))
    }

    /// A rate, for counts above 64.
    static func rate(_ count: Int, minutes: Int) -> LimitRule {
        .gcra(count: count, window: .seconds(minutes * 60))
    }
}
