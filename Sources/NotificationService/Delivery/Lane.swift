import Contracts

extension Lane {
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
