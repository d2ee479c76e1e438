import Contracts
import ServiceRuntime
import Storage

/// The second link of a mail about a sign-in, a new device, an added method or a first second factor:
/// "this was not me" (N-01). `disownSignIn` says what it does.
///
///     the account's address    the mail has
///     proved                   a link of its own
///     unproved                 none
///
/// Attack: somebody signs up with a mistyped address, whose owner reads the mails. By the link the
/// account would be that owner's to take: it mails a reset link there.
struct DisownLinks: Sendable {
    /// The links of an account that work. An owner who is away for a weekend finds more mails than
    /// that only while a thief is busy; each does the same, beside the method that it is about.
    static let liveMax: Int64 = 8

    /// The origin of the page, and of others, never from a request.
    let origin: String
    /// How long a link works.
    private let life: Duration

    /// Links by the settings `link-origin` and `not-me-life`.
    init(_ settings: IdentitySettings) {
        origin = settings.linkOrigin
        life = settings.notMeLife
    }

    /// Makes the link of a mail to an account, in the transaction of what the mail reports.
    /// - Parameter method: The name of the method, or the id of the second factor or the passkey,
    ///   that was added; nil for a sign-in.
    /// - Returns: the value of the mail's variable, which is empty without a link.
    /// - Throws: `SQLError`.
    func value(
        to row: AccountRow, about method: String?, _ writer: AccountWriter,
        _ transaction: Transaction
    ) throws -> MailValue {
        guard let address = row.address, address.provedAt != nil else { return .notMeLink(nil) }
        let token = LinkToken.drawn(from: writer.randomness)
        try transaction.insertBesideOthers(
            NewLink(
                key: writer.randomness.rowKey(),
                tokenHash: token.hash(.disownSignIn, writer.keys.links), purpose: .disownSignIn,
                account: row.account, addressKey: address.lookUpKey,
                expiresAt: transaction.at + life, about: method))
        return .notMeLink(token.url(.disownSignIn, origin: origin))
    }
}

/// What the links of `disownSignIn` add to the schema.
extension IdentityTables {
    /// The column of the method, or the session, that a link is about, and the time from which a password does not
    /// count (`passwordCounts`). An older program leaves both alone.
    package static let disownedSignIns = """
        ALTER TABLE links ADD COLUMN about TEXT;
        ALTER TABLE passwords ADD COLUMN disowned_at_ms INTEGER;
        """
}

extension SQLSession {
    /// The link of a token by which a sign-in can be disowned now, with its account; nil for one
    /// that was used, is too old, or was mailed to a former address.
    /// - Throws: `SQLError`.
    func disownable(
        tokenHash: [UInt8], at moment: Timestamp
    ) throws -> (link: Link, row: AccountRow, address: AccountRow.Address)? {
        guard let link = try self.link(.disownSignIn, tokenHash: tokenHash, at: moment),
            let row = try account(link.account), row.status.isUsable,
            let address = row.address, address.provedAt != nil,
            address.lookUpKey == link.addressKey
        else { return nil }
        return (link, row, address)
    }
}

extension Transaction {
    /// Inserts a link, and leaves the account's others of its purpose alone: each is in another
    /// mail. Beyond `DisownLinks.liveMax` the oldest goes, first of those that are about no method.
    ///
    /// Attack: a thief adds a method, and then signs in until the link that removes it is gone. A
    /// method has one link at most (`removeLinks(about:of:)`).
    fileprivate func insertBesideOthers(_ link: NewLink) throws {
        try put(
            """
            DELETE FROM links WHERE account = ?1 AND purpose = ?2 AND link NOT IN (
                SELECT link FROM links WHERE account = ?1 AND purpose = ?2
                ORDER BY CASE WHEN about IS NULL THEN 1 ELSE 0 END, expires_at_ms DESC, link
                LIMIT ?3)
            """,
            [
                .integer(link.account.key), .integer(link.purpose.rawValue),
                .integer(DisownLinks.liveMax - 1),
            ])
        try insert(link)
    }

    /// Uses one link up, and no other.
    func removeLink(_ link: Link) throws {
        try put("DELETE FROM links WHERE link = ?", [.integer(link.key)])
    }

    /// Makes the links void that are about a method which the account no longer has. The owner may
    /// add it again, and an old mail must not remove that one.
    func removeLinks(about method: SignInMethod, of account: AccountID) throws {
        try put(
            "DELETE FROM links WHERE account = ? AND about = ?",
            [.integer(account.key), .text(method.name)])
    }

    /// Makes the links void that an account's owner has after a reset: all, but those about a
    /// method. A thief who has added one signs in by it after a reset too, and the owner may open
    /// the mail about it later. The link that keeps second factors stays, too: the removal waits.
    func removeLinksAfterReset(of account: AccountID) throws {
        try put(
            "DELETE FROM links WHERE account = ? AND about IS NULL AND purpose <> ?",
            [.integer(account.key), .integer(LinkPurpose.keepSecondFactors.rawValue)])
    }
}
