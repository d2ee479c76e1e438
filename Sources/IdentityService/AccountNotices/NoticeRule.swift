import ServiceRuntime

/// Decides whether a notice is mailed, and with which content. Pure:
///
///     address       mails of this kind in the last hour    mail
///     none          any                                    none
///     unverified    below `mailsMax`                       without the device name
///     verified      below `mailsMax`                       with the device name
///     any           `mailsMax`                             none; the audit log has the event
///
/// Attack: somebody registers with another person's address, or knows a password, and signs in
/// repeatedly to flood the owner's inbox, or puts a message into the device name.
enum NoticeRule {
    /// Mails of one kind to one account within `window`.
    static let mailsMax = 3
    static let window: Duration = .seconds(3_600)

    /// Whether a mail is sent, and whether it names the device.
    enum Decision: Hashable, Sendable {
        case unmailed
        case mailed(namingDevice: Bool)
    }

    /// - Parameters:
    ///   - isProved: whether the account's address is verified; nil for an account without one.
    ///   - recent: notices of that kind that were mailed within `window`.
    static func decision(isProved: Bool?, recent: Int) -> Decision {
        guard let isProved, recent < mailsMax else { return .unmailed }
        return .mailed(namingDevice: isProved)
    }
}
