import Addresses
import Contracts
package import ServiceRuntime
package import Storage

/// A link and the mail that carries it (G-11, G-12).
package struct LinkMail: Sendable {
    /// The link.
    package let link: NewLink
    /// The mail, sealed for the outbox.
    package let message: OutboxMessage

    /// A link to the stored address of an account. Never to an address from the request: even if
    /// normalisation made `mıke` match the account of `mike`, the mail must not go to `mıke`.
    /// - Parameter expiresAt: When the link ends, counted from `moment` in the mail.
    /// - Returns: nil for an account without an address.
    /// - Throws: if the account's key does not decrypt, or sealing the mail fails.
    package init?(
        _ purpose: LinkPurpose, _ token: LinkToken, to row: AccountRow,
        _ settings: IdentitySettings, _ writer: AccountWriter, at moment: Timestamp,
        until expiresAt: Timestamp
    ) throws {
        guard let owned = row.address, let address = try writer.reader.address(row) else {
            return nil
        }
        try self.init(
            purpose, token, of: row.account, to: address, addressKey: owned.lookUpKey,
            language: row.language, settings, writer, at: moment, until: expiresAt)
    }

    /// A link to an address that its account is about to get with this registration. For an
    /// account that exists use the other init, which takes the stored address.
    init(
        _ purpose: LinkPurpose, _ token: LinkToken, of account: AccountID,
        to address: EmailAddress, addressKey: [UInt8], language: String,
        _ settings: IdentitySettings, _ writer: AccountWriter, at moment: Timestamp,
        until expiresAt: Timestamp
    ) throws {
        link = NewLink(
            key: writer.randomness.rowKey(), tokenHash: token.hash(purpose, writer.keys.links),
            purpose: purpose, account: account, addressKey: addressKey, expiresAt: expiresAt)
        let outbox = writer.outbox
        message = try outbox.email(
            purpose.mail(
                link: token.url(purpose, origin: settings.linkOrigin),
                life: expiresAt - moment, until: expiresAt),
            of: account, to: address.mailbox, language: language, expiresAt: expiresAt,
            key: outbox.newKey())
    }
}

extension LinkPurpose {
    /// - Throws: `rpc/internal` for a purpose whose link is the second one of a notice
    ///   (`DisownLinks`), or goes to an app (`SessionLink`).
    fileprivate func mail(
        link: String, life: Duration, until expiresAt: Timestamp
    ) throws -> Mail {
        switch self {
        case .verifyEmail: try Mail(.verifyEmail, [.link(link), .validity(life)])
        case .resetPassword: try Mail(.resetPassword, [.link(link), .validity(life)])
        case .changeEmail: try Mail(.emailChangeConfirm, [.link(link), .validity(life)])
        case .deleteAccount: try Mail(.deletionLink, [.link(link), .validity(life)])
        case .keepAccount, .keepSecondFactors:
            // `OwnerNotice` sends it.
            throw ServiceError(.internalError, detail: "a notice has this link")
        case .export: try Mail(.exportReady, [.link(link), .time(expiresAt)])
        case .disownSignIn, .sessionDeletion, .sessionExport:
            throw ServiceError(.internalError, detail: "the link has no mail of its own")
        }
    }
}

extension Transaction {
    /// Inserts a link and enqueues its mail; the account's former links of that purpose become
    /// void.
    /// - Throws: `SQLError`.
    package func send(_ mail: LinkMail) throws {
        try removeLinks(mail.link.purpose, of: mail.link.account)
        try sendFirst(mail)
    }

    /// The same for an account that has no link of that purpose.
    func sendFirst(_ mail: LinkMail) throws {
        try insert(mail.link)
        try enqueue(mail.message)
        if mail.link.purpose == .verifyEmail { try setVerificationSent(of: mail.link.account) }
    }

    /// Records that a mail with a link to verify the account's address is ordered (I-11).
    ///
    /// Attack: under `enumeration: strict` somebody signs up with another person's address, and sees
    /// from the time in the account whether a limit has withheld the mail, which counts what the
    /// owner of that address caused. So a claim records each order, withheld or not.
    func setVerificationSent(of account: AccountID) throws {
        try put(
            "UPDATE profiles SET verification_sent_at_ms = ? WHERE account = ?",
            [SQLValue(at), .integer(account.key)])
    }

    /// The account has another address, to which no such mail went.
    func forgetVerificationSent(of account: AccountID) throws {
        try put(
            "UPDATE profiles SET verification_sent_at_ms = NULL WHERE account = ?",
            [.integer(account.key)])
    }
}

extension IdentityTables {
    /// The column `verification_sent_at_ms`; null for accounts from before it.
    package static let verificationMails = """
        ALTER TABLE profiles ADD COLUMN verification_sent_at_ms INTEGER;
        """
}

/// A new link, bound to its purpose, its account and the address that it is sent to.
package struct NewLink: Hashable, Sendable {
    let key: Int64
    /// Keyed hash of the link's token.
    package let tokenHash: [UInt8]
    let purpose: LinkPurpose
    let account: AccountID
    /// Keyed hash of the address; empty for a link that is not mailed, of an account without one.
    let addressKey: [UInt8]
    let expiresAt: Timestamp
    /// The name of the sign-in method, or the id of the second factor or the passkey, that its mail
    /// reports; the session of a `SessionLink`; nil for none, and for other purposes.
    var about: String?
}

/// A valid link.
package struct Link: Hashable, Sendable {
    /// The key of its row.
    package let key: Int64
    /// The account that it is about.
    package let account: AccountID
    /// Keyed hash of the address that it was sent to.
    let addressKey: [UInt8]
    /// When it ends.
    let expiresAt: Timestamp
    /// The sign-in method that its mail reports; nil for none. The id of a second factor or a
    /// passkey is none that an account has.
    let about: SignInMethod?

    /// The passkey that its mail reports; nil for none.
    var aboutPasskey: PasskeyID? { about.flatMap { PasskeyID(text: $0.name) } }

    /// Whether its mail reports an account's first second factor.
    var isAboutSecondFactors: Bool {
        about.map { FactorID(text: $0.name) != nil } ?? false
    }
}

extension SQLSession {
    /// The link of a token; nil if it has expired or was used.
    /// - Throws: `SQLError`.
    package func link(
        _ purpose: LinkPurpose, tokenHash: [UInt8], at moment: Timestamp
    ) throws -> Link? {
        try queryOne(
            """
            SELECT link, account, address_key, expires_at_ms, about FROM links
            WHERE token_hash = ? AND purpose = ? AND expires_at_ms > ?
            """,
            [.blob(tokenHash), .integer(purpose.rawValue), SQLValue(moment)]
        ) { row in
            Link(
                key: try row.integer("link"),
                account: try AccountID(stored: row.integer("account")),
                addressKey: try row.blob("address_key"),
                expiresAt: try row.timestamp("expires_at_ms"),
                about: try row.optionalText("about").map { SignInMethod(name: $0) })
        }
    }
}

extension Transaction {
    /// Inserts a link.
    func insert(_ link: NewLink) throws {
        try put(
            """
            INSERT INTO links
                (link, token_hash, purpose, account, address_key, expires_at_ms, about)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(link.key), .blob(link.tokenHash), .integer(link.purpose.rawValue),
                .integer(link.account.key), .blob(link.addressKey), SQLValue(link.expiresAt),
                link.about.map { .text($0) } ?? .null,
            ])
    }

    /// Deletes all links of an account, of every purpose: after a takeover, no earlier link may
    /// work. A reset leaves some (`removeLinksAfterReset`).
    func removeLinks(of account: AccountID) throws {
        try put("DELETE FROM links WHERE account = ?", [.integer(account.key)])
    }

    /// Uses a link up, together with the account's other links of that purpose.
    /// - Throws: `SQLError`.
    package func removeLinks(_ purpose: LinkPurpose, of account: AccountID) throws {
        try put(
            "DELETE FROM links WHERE account = ? AND purpose = ?",
            [.integer(account.key), .integer(purpose.rawValue)])
    }
}
