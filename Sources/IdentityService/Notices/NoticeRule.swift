import ServiceRuntime

/// Whether and how a notice is mailed. Pure:
///
///     address    of its kind within the hour    mail
///     none       any                            none
///     unproved   below the most                 without the device's name
///     proved     below the most                 with it
///     any        the most                       none: it is in the audit trail
///
/// Attack: whoever signs up with a stranger's address, or knows a password, signs in again and
/// again to flood the owner's inbox, or names a device so that our mail speaks for them.
enum NoticeRule {
    /// Mails of one kind to one account within `window`.
    static let mailsMax = 3
    static let window: Duration = .seconds(3_600)

    /// How a notice is told.
    enum Decision: Hashable, Sendable {
        case unmailed
        case mailed(namingDevice: Bool)
    }

    /// - Parameters:
    ///   - isProved: whether the account's address is proved; nil for an account without one.
    ///   - recent: notices of that kind that were mailed within `window`.
    static func decision(isProved: Bool?, recent: Int) -> Decision {
        guard let isProved, recent < mailsMax else { return .unmailed }
        return .mailed(namingDevice: isProved)
    }
}
