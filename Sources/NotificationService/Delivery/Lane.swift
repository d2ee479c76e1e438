/// The priority class of a message (N-06). It is a property of the template, never of the request:
/// a caller must not choose how urgent its message is.
///
///     lane        content                                      who can cause it
///     requested   codes and links that the reader waits for    the reader, or a stranger up to the
///                                                              limit for each target address
///     security    warnings about a possible attack             anybody, by what they do
///     notice      confirmations of the user's own actions      the reader
///     bulk        welcome and everything else that can wait    the reader
///
/// Attack: sixty sign-ups with a victim's address, or sixty accounts that want to change to it,
/// cause sixty warning mails. If these shared a lane with the victim's own reset link, the link
/// would arrive after it has expired.
package enum Lane: CaseIterable, Sendable {
    /// Codes and links that the reader requested.
    case requested
    /// Warnings.
    case security
    /// Confirmations of the user's own actions.
    case notice
    /// Welcome and everything else that can wait.
    case bulk

    /// The number in stored rows and orders. It never changes. An older program that runs on this
    /// store knows three lanes, so warnings share the first one's number and have a mark besides.
    var number: Int64 {
        switch self {
        case .requested, .security: 0
        case .notice: 1
        case .bulk: 2
        }
    }

    /// Whether stored rows have that mark.
    var isWarning: Bool { self == .security }

    /// The lane of a stored row or order; nil for one that a newer program wrote.
    init?(number: Int64, isWarning: Bool) {
        switch number {
        case 0: self = isWarning ? .security : .requested
        case 1: self = .notice
        case 2: self = .bulk
        default: return nil
        }
    }

    /// Whether it may wait behind all codes, links and warnings.
    var isLowPriority: Bool { self == .notice || self == .bulk }
}
