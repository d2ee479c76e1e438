import Addresses
package import Contracts
package import Messages
package import ServiceRuntime
package import Storage

/// Enqueues a notice to an account's owner, in the transaction of the change that it reports.
package struct NoticeMail: AccountWriting, Sendable {
    /// Writes accounts.
    package let writer: AccountWriter

    /// - Parameters:
    ///   - template: A mail with a `noticeKind`.
    ///   - values: For the template's variables besides device, place and time.
    ///   - moment: Time of the event; nil for the transaction's.
    ///   - key: The idempotency key of the mail at the notification service; nil for a new one.
    ///   - isOperators: Whether only the operator causes it: `UnrequestedMailRule` does not count
    ///     it then.
    /// - Returns: false when no mail is sent: the account has no usable address or is being
    ///   deleted, or `NoticeRule` or `UnrequestedMailRule` forbids it.
    /// - Throws: `rpc/internal` for a mail that is no notice, and as `Mail`; otherwise when the
    ///   address does not open.
    @discardableResult
    package func write(
        _ template: MailTemplate, to account: AccountID, _ device: DeviceShown,
        with values: [MailValue] = [], at moment: Timestamp? = nil, key: String? = nil,
        byOperator isOperators: Bool = false, _ transaction: Transaction
    ) throws -> Bool {
        guard let kind = template.noticeKind else {
            throw ServiceError(.internalError, detail: "\(template.rawValue) is no notice")
        }
        let key = key ?? outbox.newKey()
        guard let row = try transaction.account(account), row.status != .deleting,
            let owned = row.address
        else { return false }
        let decision = NoticeRule.decision(
            isProved: owned.provedAt != nil,
            recent: try transaction.recentNotices(account, kind))
        guard case .mailed(let namingDevice) = decision else { return false }
        guard
            let recipient = try reader.address(row),
            try owned.provedAt != nil || isOperators
                || transaction.maySend(.account, to: owned.lookUpKey)
        else { return false }
        let event: [MailValue] = [
            .device(namingDevice ? device : DeviceShown(nil)), .place(device.place),
            .time(moment ?? transaction.at),
        ]
        try transaction.enqueue(
            outbox.email(
                Mail(template, values + event), of: account, to: recipient.mailbox,
                language: row.language, expiresAt: nil, key: key))
        try transaction.recordNotice(account, kind)
        return true
    }
}

extension NoticeMail {
    /// Welcomes the owner of an account by the name in its profile, in the transaction that verifies
    /// the account's address for the first time.
    func welcome(
        _ row: AccountRow, _ device: DeviceShown, _ transaction: Transaction
    ) throws {
        let vault = try reader.vault(row)
        let name = try vault.open(row.sealedDisplayName, .displayName)
        try write(.welcome, to: row.account, device, with: [.name(name)], transaction)
    }

    /// Mails that the deletion of an account was cancelled, to a verified address only, as all
    /// mails about a deletion (`DeletionMail`).
    /// - Throws: `SQLError`; if the account's key does not decrypt, or sealing the mail fails.
    package func deletionCancelled(_ account: AccountID, _ transaction: Transaction) throws {
        guard let row = try transaction.account(account), row.address?.provedAt != nil,
            let address = try reader.address(row)
        else { return }
        try transaction.enqueue(
            outbox.email(
                Mail(.deletionCancelled, [.time(transaction.at)]), of: account,
                to: address.mailbox, language: row.language, expiresAt: nil,
                key: outbox.newKey()))
    }
}

/// Formats a time for a mail.
package enum NoticeTime {
    /// To the minute, in UTC: `2026-01-31 09:05 UTC`.
    package static func text(of moment: Timestamp) -> String {
        let text = moment.text
        let halves = text.split(separator: "T", maxSplits: 1)
        guard halves.count == 2 else { return text }
        return "\(halves[0]) \(halves[1].prefix(5)) UTC"
    }
}

/// A device with the name that its owner gave it, and where it was. `DeviceWords` filters the name
/// before it appears in a mail.
package struct DeviceShown: Hashable, Sendable {
    let name: String
    let platform: String
    /// Nil if it is unknown.
    let place: Place?

    /// A device by the name and the platform that it reports.
    package init(name: String, platform: String, at place: Place? = nil) {
        self.name = name
        self.platform = platform
        self.place = place
    }

    /// The device that sent a request; an unknown one for nil.
    package init(_ device: GatewayV1.Device?, at place: Place? = nil) {
        self.init(name: device?.name ?? "", platform: device?.platform ?? "", at: place)
    }
}

/// Filters a device name for use in a mail: letters, digits and a few punctuation marks are kept,
/// and everything else becomes a space. Attack: a device name that contains a link, an address or
/// an instruction to the reader.
enum DeviceWords {
    private static let charactersMax = 40
    /// One character can consist of many code points; the notification service accepts 256 bytes.
    private static let bytesMax = 160

    /// The filtered name, or else the filtered platform; empty when neither has permitted
    /// characters.
    static func words(name: String, platform: String) -> String {
        let words = plain(name)
        return words.isEmpty ? plain(platform) : words
    }

    private static func plain(_ text: String) -> String {
        var filtered = ""
        for character in text.prefix(charactersMax) {
            let character = isPlain(character) ? character : " "
            guard filtered.utf8.count + character.utf8.count <= bytesMax else { break }
            filtered.append(character)
        }
        return filtered.split(separator: " ").joined(separator: " ")
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "'’-()".contains(character)
    }
}

extension Transaction {
    /// Records that a notice was mailed.
    /// - Parameter kind: Its `MailTemplate.noticeKind`.
    func recordNotice(_ account: AccountID, _ kind: Int64) throws {
        try put(
            "INSERT INTO notices (account, kind, mailed_at_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .integer(kind), SQLValue(at)])
    }

    /// The number of notices of a kind that were mailed within the rule's window.
    func recentNotices(_ account: AccountID, _ kind: Int64) throws -> Int {
        let count = try queryOne(
            """
            SELECT count(*) FROM notices WHERE account = ? AND kind = ? AND mailed_at_ms > ?
            """,
            [.integer(account.key), .integer(kind), SQLValue(at - NoticeRule.window)]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }
}

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
