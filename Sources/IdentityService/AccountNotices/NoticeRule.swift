import Contracts
import ServiceRuntime
import Storage

/// Limits the notices to an owner, over all channels together (N-01). Pure:
///
///     notice             sent if there were      within
///     sign-in locked     none of its kind        24 hours
///     any other          fewer than 3            1 hour
///
///     text messages      fewer than 3            24 hours, of all kinds together
///
/// Who fills them: whoever acts on the account, each time with a real act; only *sign-in locked*
/// takes no proof to cause. Who pays when they are full: the owner hears no more of that kind for
/// the time, and the trail has it. A text counts when it is ordered, also if a push message takes
/// its place.
///
/// Attack: somebody registers with another person's address, or knows a password, and signs in
/// repeatedly to flood the owner's inbox.
package enum NoticeRule {
    /// Notices of one kind to one account within `window`.
    static let noticesMax = 3
    /// The time in which notices of most kinds are counted.
    package static let window: Duration = .seconds(3_600)
    /// Text messages to one account within `day`.
    static let textsMax = 3
    static let day: Duration = .seconds(24 * 3_600)
    /// How long the rows of `notices` are kept: the longest time in which they are counted.
    static let retention = day

    /// How many notices of this kind are sent, within which time.
    static func limit(of template: MailTemplate) -> (count: Int, window: Duration) {
        template == .signInLocked ? (1, day) : (noticesMax, window)
    }

    /// Whether another notice of this kind is sent.
    /// - Parameter recent: notices of the kind within the time of its limit.
    static func permits(_ template: MailTemplate, recent: Int) -> Bool {
        recent < limit(of: template).count
    }

    /// Whether another text is ordered.
    /// - Parameter recent: texts within `day`.
    static func permitsText(recent: Int) -> Bool { recent < textsMax }
}

extension IdentityTables {
    /// By which channels a notice went (`NoticeRoute.channels`). Rows of an earlier or older program
    /// are of mails.
    package static let noticeChannels = """
        ALTER TABLE notices ADD COLUMN channel INTEGER NOT NULL DEFAULT 1;
        """
}

extension Transaction {
    /// Records that a notice was sent.
    /// - Parameters:
    ///   - kind: Its `MailTemplate.noticeKind`.
    ///   - channels: `NoticeRoute.channels`.
    func recordNotice(_ account: AccountID, _ kind: Int64, _ channels: Int64) throws {
        try put(
            "INSERT INTO notices (account, kind, mailed_at_ms, channel) VALUES (?, ?, ?, ?)",
            [.integer(account.key), .integer(kind), SQLValue(at), .integer(channels)])
    }

    /// The number of notices of a kind that were sent within a time.
    func recentNotices(
        _ account: AccountID, _ kind: Int64, within window: Duration
    ) throws -> Int {
        let count = try queryOne(
            """
            SELECT count(*) FROM notices WHERE account = ? AND kind = ? AND mailed_at_ms > ?
            """,
            [.integer(account.key), .integer(kind), SQLValue(at - window)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }

    /// The number of texts that were ordered for an account within a day.
    func recentTexts(_ account: AccountID) throws -> Int {
        let count = try queryOne(
            """
            SELECT count(*) FROM notices WHERE account = ? AND mailed_at_ms > ? AND channel >= ?
            """,
            [
                .integer(account.key), SQLValue(at - NoticeRule.day),
                .integer(NoticeRoute.Channel.text.rawValue),
            ]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }
}
