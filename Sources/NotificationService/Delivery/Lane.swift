/// What goes before what (N-06). A property of the template, never of the request: who asks for a
/// message must not choose how urgent it is.
///
///     lane        what                                          who can have it sent
///     requested   codes and links that the reader waits for     the reader, or a stranger up to the
///                                                               limit for each target address
///     security    warnings: somebody is being robbed            anybody, by what he does
///     notice      what somebody has done                        the reader
///     bulk        welcome and everything else that can wait     the reader
///
/// Attack: sixty sign-ups with a victim's address, or sixty accounts that want to change to it, have
/// sixty warnings mailed. In one lane with them the victim's own reset link came after its end.
package enum Lane: CaseIterable, Sendable {
    /// Codes and links that the reader asked for.
    case requested
    /// Warnings.
    case security
    /// What somebody has done and is told of.
    case notice
    /// Welcome and everything else that can wait.
    case bulk

    /// The number that stored rows and orders have for it; never changed. An older program that runs
    /// on this store knows three lanes, so warnings have the first one's number and a mark beside it.
    var number: Int64 {
        switch self {
        case .requested, .security: 0
        case .notice: 1
        case .bulk: 2
        }
    }

    /// Whether stored rows have the mark.
    var isWarning: Bool { self == .security }

    /// The lane of a stored row or order; nil for one of a newer program.
    init?(number: Int64, isWarning: Bool) {
        switch number {
        case 0: self = isWarning ? .security : .requested
        case 1: self = .notice
        case 2: self = .bulk
        default: return nil
        }
    }

    /// Whether it may wait behind every code, link and warning.
    var isPatient: Bool { self == .notice || self == .bulk }
}
