import ServiceRuntime
import Storage

/// Decides whether a mail goes to an address whose reader may not have asked for it: to an address
/// that its account has not proved, to one that a sign-up or a change names, to a parent. Pure:
///
///     mails to the address in the last hour    by a sign-up    any other
///     below 3                                  sent            sent
///     3 or 4                                   withheld        sent
///     5                                        withheld        withheld
///
/// All accounts that had the address count together, also deleted ones. Attack: a stranger signs up
/// another person's address, deletes the account and signs up once more, without end, with a mail
/// each time, or lets each of these accounts change its password.
///
/// Two of the five remain for what a signed-in person requests, so that strangers' sign-ups do not
/// use up the owner's second verification mail.
///
/// Not counted: mails to a proved address, which only its owner's account causes, except that it is
/// taken; links to reset a password or to delete an account, which have limits of their own; what
/// the operator causes.
enum UnrequestedMailRule {
    /// Mails to one address within `window`.
    static let mailsMax = 5
    /// A sign-up sends no mail to an address that has got this many.
    static let mailsBeforeSignUpMax = 3
    static let window: Duration = .seconds(3_600)

    /// What causes a mail.
    enum Cause: CaseIterable, Sendable {
        /// A sign-up, by somebody without a proof of anything.
        case signUp
        /// A request in an account's own session, or what is reported of the account.
        case account
    }

    /// Whether a mail is sent.
    enum Decision: Hashable, Sendable {
        case sent
        /// The address has got too many; one can be sent at this time.
        case withheld(until: Timestamp)
    }

    /// - Parameter latest: When mails went to the address within `window`, the latest first, at
    ///   least the latest `mailsMax`.
    static func decision(_ cause: Cause, latest: [Timestamp]) -> Decision {
        let limit = cause == .signUp ? mailsBeforeSignUpMax : mailsMax
        guard latest.count >= limit else { return .sent }
        return .withheld(until: latest[limit - 1] + window)
    }
}

extension Transaction {
    /// Counts a mail to an address by `UnrequestedMailRule`. Call it for each such mail, directly
    /// before the mail is enqueued.
    /// - Parameter addressKey: Keyed hash of the address.
    /// - Returns: whether to send the mail. One that is withheld is not counted.
    func maySend(_ cause: UnrequestedMailRule.Cause, to addressKey: [UInt8]) throws -> Bool {
        try countMail(cause, to: addressKey) == .sent
    }

    /// The same for a mail that a signed-in caller requests. It is refused, because it would wait
    /// for a mail that is never sent.
    /// - Throws: `auth/too-many-requests` with the wait.
    func requireMail(to addressKey: [UInt8]) throws {
        if case .withheld(let moment) = try countMail(.account, to: addressKey) {
            throw ServiceError(.tooManyRequests, retryAfter: moment - at)
        }
    }

    private func countMail(
        _ cause: UnrequestedMailRule.Cause, to addressKey: [UInt8]
    ) throws -> UnrequestedMailRule.Decision {
        // Several accounts may claim the address.
        try lock(.hash(addressKey))
        let latest = try query(
            """
            SELECT mailed_at_ms FROM unrequested_mails
            WHERE address_key = ? AND mailed_at_ms > ?
            ORDER BY mailed_at_ms DESC LIMIT ?
            """,
            [
                .blob(addressKey), SQLValue(at - UnrequestedMailRule.window),
                .integer(Int64(UnrequestedMailRule.mailsMax)),
            ]
        ) { try $0.timestamp("mailed_at_ms") }
        let decision = UnrequestedMailRule.decision(cause, latest: latest)
        if decision == .sent {
            try put(
                "INSERT INTO unrequested_mails (address_key, mailed_at_ms) VALUES (?, ?)",
                [.blob(addressKey), SQLValue(at)])
        }
        return decision
    }
}

extension IdentityTables {
    /// Mails of the last hour that `UnrequestedMailRule` counts, by keyed hash of the address. They
    /// outlive the accounts that caused them.
    package static let unrequestedMails = """
        CREATE TABLE unrequested_mails (
            mail INTEGER PRIMARY KEY AUTOINCREMENT,
            address_key BLOB NOT NULL,
            mailed_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX unrequested_mails_by_address ON unrequested_mails (address_key);
        """
}
