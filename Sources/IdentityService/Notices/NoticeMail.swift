import EmailAddresses
import ServiceRuntime
import Storage

/// Writes a notice to an account's owner, in the transaction of what it tells of.
struct NoticeMail: Sendable {
    let parts: IdentityParts

    /// - Parameters:
    ///   - names: Of the methods that it is about; of a welcome, its reader's.
    ///   - milliseconds: When it happened, since 1970.
    ///   - key: By which notification knows the mail again.
    /// - Returns: false where `NoticeRule` says that none goes out.
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
