import Addresses
import Messages
import ServiceRuntime
import Storage

/// Enqueues a notice to an account's owner, in the transaction of the change that it reports.
struct NoticeMail: AccountWriting, Sendable {
    let writer: AccountWriter

    /// - Parameters:
    ///   - names: The affected sign-in methods; for `.welcome`, the reader's name.
    ///   - documents: For `.guestDataAttention`, how many documents need attention.
    ///   - milliseconds: Time of the event, since 1970; nil for the transaction's.
    ///   - key: The idempotency key of the mail at the notification service; nil for a new one.
    /// - Returns: false when no mail is sent: the account has no usable address or is being
    ///   deleted, or `NoticeRule` or `UnrequestedMailRule` forbids it.
    @discardableResult
    func write(
        _ kind: NoticeKind, to account: AccountID, _ device: DeviceShown,
        naming names: [String] = [], counting documents: Int = 0, at milliseconds: Int64? = nil,
        key: String? = nil, _ transaction: Transaction
    ) throws -> Bool {
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
            try owned.provedAt != nil || kind.isOperators
                || transaction.maySend(.account, to: owned.lookUpKey)
        else { return false }
        let words =
            namingDevice ? DeviceWords.words(name: device.name, platform: device.platform) : ""
        try transaction.enqueue(
            outbox.email(
                kind.mail(
                    device: words,
                    time: NoticeTime.text(of: milliseconds ?? transaction.at.milliseconds),
                    naming: names.map { DeviceWords.words(name: $0, platform: "") },
                    counting: documents),
                of: account, to: recipient.mailbox, language: row.language, expiresAt: nil,
                key: key))
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
        try write(.welcome, to: row.account, device, naming: [name], transaction)
    }
}

/// Formats a time for a mail.
enum NoticeTime {
    /// To the minute, in UTC: `2026-01-31 09:05 UTC`.
    static func text(of milliseconds: Int64) -> String {
        let text = Timestamp(milliseconds: milliseconds).text
        let halves = text.split(separator: "T", maxSplits: 1)
        guard halves.count == 2 else { return text }
        return "\(halves[0]) \(halves[1].prefix(5)) UTC"
    }
}

/// The kinds of notices to an account's owner (S-03, G-10, N-01). The raw values are stored. Values
/// below `firstOwn` are also the wire values, for notices that other services request.
enum NoticeKind: Int64, CaseIterable, Sendable {
    case sessionDisplaced = 1
    case sessionReplayed = 2
    case passwordChanged = 64
    case methodAdded = 65
    case methodRemoved = 66
    case addressClaimed = 67
    case welcome = 68
    case newDevice = 70
    case accountSuspended = 71
    case accountRestored = 72
    case guestDataAttention = 80

    /// Values from here on belong to the identity service; no other service can request them.
    private static let firstOwn: Int64 = 64

    /// Whether only the operator causes it.
    var isOperators: Bool { self == .accountSuspended || self == .accountRestored }

    /// The kind that a caller requests; nil when it is missing or unknown.
    init?(_ message: IdentityV1.NoticeKind) {
        let number = Int64(message.rawValue)
        guard number < Self.firstOwn else { return nil }
        self.init(rawValue: number)
    }

    /// The mail for this kind.
    /// - Parameters:
    ///   - names: the affected sign-in methods; for `.welcome`, the reader's name.
    ///   - documents: for `.guestDataAttention`, how many documents need attention.
    func mail(
        device: String, time: String, naming names: [String], counting documents: Int
    ) -> IdentityMail {
        switch self {
        case .sessionDisplaced: .sessionDisplaced(device: device, time: time)
        case .sessionReplayed: .sessionReplayed(device: device, time: time)
        case .passwordChanged: .passwordChanged(device: device, time: time)
        case .newDevice: .newDevice(method: names.first ?? "", device: device, time: time)
        case .methodAdded:
            .methodAdded(method: names.first ?? "", device: device, time: time)
        case .methodRemoved:
            .methodRemoved(method: names.first ?? "", device: device, time: time)
        case .addressClaimed: .addressClaimed(methods: names, time: time)
        case .accountSuspended: .accountSuspended(time: time)
        case .accountRestored: .accountRestored(time: time)
        case .guestDataAttention: .guestDataAttention(documents: Int64(documents))
        case .welcome: .welcome(name: names.first ?? "", device: device, time: time)
        }
    }
}

/// A device with the name that its owner gave it. `DeviceWords` filters the name before it appears
/// in a mail.
struct DeviceShown: Hashable, Sendable {
    let name: String
    let platform: String

    init(name: String, platform: String) {
        self.name = name
        self.platform = platform
    }

    /// The device that sent a request; an unknown one for nil.
    init(_ device: GatewayV1.Device?) {
        self.init(name: device?.name ?? "", platform: device?.platform ?? "")
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
    func recordNotice(_ account: AccountID, _ kind: NoticeKind) throws {
        try put(
            "INSERT INTO notices (account, kind, mailed_at_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .integer(kind.rawValue), SQLValue(at)])
    }

    /// The number of notices of a kind that were mailed within the rule's window.
    func recentNotices(_ account: AccountID, _ kind: NoticeKind) throws -> Int {
        let count = try queryOne(
            """
            SELECT count(*) FROM notices WHERE account = ? AND kind = ? AND mailed_at_ms > ?
            """,
            [
                .integer(account.key), .integer(kind.rawValue), SQLValue(at - NoticeRule.window),
            ]
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
