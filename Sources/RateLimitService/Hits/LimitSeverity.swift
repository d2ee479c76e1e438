import Contracts
import Storage

/// The audit kind of a limit that was reached (A-01, D0), by the limit and the number of refused
/// attempts until the wait was over:
///
///     limit                                refused           event
///     phone-code-request, attempt 1 or 2   any               limit.reached
///         attempt 3                        any               limit.repeated
///         attempt 4 or later               any               limit.severe
///     phone-code-guess, each variant       any               limit.brute-force
///     the other limits on codes            any               limit.pumping
///     failed sign-ins, guesses at codes
///     by address                           fewer than 20     limit.reached
///                                          20 to 99          limit.repeated
///                                          100 or more       limit.brute-force
///     all others                           fewer than 20     limit.reached
///                                          20 to 99          limit.repeated
///                                          100 or more       limit.severe
enum LimitSeverity {
    private static let repeatedFrom = 20
    private static let severeFrom = 100

    static func event(_ limit: LimitName, refused: Int, attempt: Int) -> AuditKind {
        switch limit {
        case .phoneCodeRequest:
            attempt < 3 ? .limitReached : attempt == 3 ? .limitRepeated : .limitSevere
        case .phoneCodeGuess, .phoneCodeGuessByKnownDevice, .phoneCodeFirstGuess: .bruteForce
        case .phoneCodeByAddress, .phoneCodeByBlock, .phoneCodeByCountry: .pumping
        case .failedSignInByDevice, .failedSignInByAddress, .failedSignInBySite,
            .failedSignInByAccount, .failedSignInInARow, .failedSignInByKnownDevice,
            .phoneCodeGuessByAddress, .failedProviderByDevice, .failedProviderByAddress,
            .failedProviderByAccount, .failedProviderByKnownDevice:
            byCount(refused, severe: .bruteForce)
        default: byCount(refused, severe: .limitSevere)
        }
    }

    /// Whether operators should be warned when it starts and not only when it is over.
    static func isAlarming(_ limit: LimitName) -> Bool {
        event(limit, refused: 1, attempt: 1) != .limitReached
    }

    private static func byCount(_ refused: Int, severe: AuditKind) -> AuditKind {
        refused < repeatedFrom ? .limitReached : refused < severeFrom ? .limitRepeated : severe
    }
}
