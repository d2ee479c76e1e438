import Contracts

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
    /// What its flow does when the rate limiter does not answer.
    let absence: LimiterAbsence
    /// Whether a response waits until the charge is on disk, so that a crash allows no further
    /// guesses.
    let isDurable: Bool
    /// The number of buckets that its subjects share without a state of their own, as a power of
    /// two; 2^18 in all. Password resets have the most, because they are the last way to sign in;
    /// then passwords.
    let bucketBits: Int
    let charger: Charger
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

/// What a flow does when the rate limiter does not answer.
package enum LimiterAbsence: String, Sendable {
    /// It refuses: otherwise guesses, or messages sent at our cost, would not be counted.
    case refuse
    /// It proceeds without being counted.
    case pass
}
