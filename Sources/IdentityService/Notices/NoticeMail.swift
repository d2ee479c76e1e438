import Addresses
import ServiceRuntime
import Storage

/// Enqueues a notice to an account's owner, in the transaction of the change that it reports.
struct NoticeMail: Sendable {
    let parts: IdentityParts

    /// - Parameters:
    ///   - names: The affected sign-in methods; for `.welcome`, the reader's name.
    ///   - milliseconds: Time of the event, since 1970.
    ///   - key: The idempotency key of the mail at the notification service.
    /// - Returns: false when no mail is sent: the account has no usable address or is being
    ///   deleted, or `NoticeRule` forbids it.
    @discardableResult
    func write(
        _ kind: NoticeKind, to account: AccountID, _ device: DeviceShown,
        naming names: [String] = [], at milliseconds: Int64, key: String,
        _ transaction: Transaction
    ) throws -> Bool {
        guard let row = try transaction.account(account), row.status != .deleting,
            let address = row.address
        else { return false }
        let decision = NoticeRule.decision(
            isProved: address.provedAt != nil,
            recent: try transaction.recentNotices(account, kind))
        guard case .mailed(let namingDevice) = decision else { return false }
        let stored = try AccountReader(parts: parts).vault(row).open(address.sealed, .address)
        guard let recipient = EmailAddress(stored) else { return false }
        let words =
            namingDevice ? DeviceWords.words(name: device.name, platform: device.platform) : ""
        try transaction.enqueue(
            IdentityOutbox(parts: parts).email(
                kind.mail(
                    device: words, time: NoticeTime.text(of: milliseconds),
                    naming: names.map { DeviceWords.words(name: $0, platform: "") }),
                of: account, to: recipient.mailbox, language: row.language, expiresAt: nil,
                key: key))
        try transaction.noteNotice(account, kind)
        return true
    }
}
