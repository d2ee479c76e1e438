import Addresses
import ServiceRuntime
import Storage

/// Enqueues a notice to an account's owner, in the transaction of the change that it reports.
struct NoticeMail: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness

    /// - Parameters:
    ///   - names: The affected sign-in methods; for `.welcome`, the reader's name.
    ///   - milliseconds: Time of the event, since 1970; nil for the transaction's.
    ///   - key: The idempotency key of the mail at the notification service; nil for a new one.
    /// - Returns: false when no mail is sent: the account has no usable address or is being
    ///   deleted, or `NoticeRule` forbids it.
    @discardableResult
    func write(
        _ kind: NoticeKind, to account: AccountID, _ device: DeviceShown,
        naming names: [String] = [], at milliseconds: Int64? = nil, key: String? = nil,
        _ transaction: Transaction
    ) throws -> Bool {
        let outbox = IdentityOutbox(keys: keys, randomness: randomness)
        let key = key ?? outbox.newKey()
        guard let row = try transaction.account(account), row.status != .deleting,
            let owned = row.address
        else { return false }
        let decision = NoticeRule.decision(
            isProved: owned.provedAt != nil,
            recent: try transaction.recentNotices(account, kind))
        guard case .mailed(let namingDevice) = decision else { return false }
        guard
            let recipient = try AccountReader(keys: keys, randomness: randomness).address(row)
        else { return false }
        let words =
            namingDevice ? DeviceWords.words(name: device.name, platform: device.platform) : ""
        try transaction.enqueue(
            outbox.email(
                kind.mail(
                    device: words,
                    time: NoticeTime.text(of: milliseconds ?? transaction.at.milliseconds),
                    naming: names.map { DeviceWords.words(name: $0, platform: "") }),
                of: account, to: recipient.mailbox, language: row.language, expiresAt: nil,
                key: key))
        try transaction.noteNotice(account, kind)
        return true
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
