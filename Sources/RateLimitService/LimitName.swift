import ServiceRuntime

/// Every limit there is: its name on the wire, its number in the store, its rule.
///
/// To add one: a case here with its number and rule, its line in the flow that charges it, and its
/// row in `LimitNameTests`. Numbers are never reused, since rows on disk bear them.
package enum LimitName: String, CaseIterable, Sendable {
    /// Failed sign-ins from one device at one address.
    case failedSignInByDevice = "failed-sign-in-by-device"
    /// Failed sign-ins from one address; IPv6 by /64.
    case failedSignInByAddress = "failed-sign-in-by-address"
    /// Failed sign-ins on one account, whoever tries; keyed on the email, before any look-up.
    case failedSignInByAccount = "failed-sign-in-by-account"
    /// Sign-ups from one address.
    case signUpByAddress = "sign-up-by-address"
    /// Sign-ups on one email from one address, or one application without addresses: while it is
    /// taken, each sends its owner a mail.
    case signUpOnTakenEmail = "sign-up-on-taken-email"
    /// Calls of an application that may assert its users' addresses and did not: all its users
    /// share one subject, so the application notices.
    case unaddressedByApplication = "unaddressed-by-application"

    /// The limit's number in the store.
    var number: UInt16 {
        switch self {
        case .failedSignInByDevice: 1
        case .failedSignInByAddress: 2
        case .failedSignInByAccount: 3
        case .signUpByAddress: 4
        case .signUpOnTakenEmail: 5
        case .unaddressedByApplication: 6
        }
    }

    /// How much is allowed.
    package var rule: LimitRule {
        switch self {
        case .failedSignInByDevice: .ring(count: 5, window: .seconds(15 * 60))
        case .failedSignInByAddress: .ring(count: 50, window: .seconds(15 * 60))
        case .failedSignInByAccount: .ring(count: 5, window: .seconds(15 * 60))
        case .signUpByAddress: .ring(count: 3, window: .seconds(60 * 60))
        case .signUpOnTakenEmail: .ring(count: 3, window: .seconds(60 * 60))
        case .unaddressedByApplication: .ring(count: 60, window: .seconds(60))
        }
    }

    /// The limit of that number in the store.
    init?(number: UInt16) {
        guard let limit = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = limit
    }
}
