import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Messages that one read returns.
    private static let messagesAtOnce = 200

    /// Sends an account's data: its push devices, without their tokens, the messages of the last
    /// days, and its part of the audit trail. Contents are not sent: that of a sent message is
    /// deleted, and one that waits holds a link or a code. Neither are mails to an address that the
    /// account had not proved (`MailTemplate.toUnprovedAddress`).
    func collectAccountData(
        _ request: AccountDataV1.CollectAccountDataRequest,
        _ items: OutgoingItems<AccountDataV1.CollectAccountDataItem>, _ context: CallContext
    ) async throws {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        let hash = keys.account(account)
        var devices = try await AccountDataFile("push-devices.json", items)
        for device in try await store.read({ try $0.devices(ofAccount: hash) }) {
            try await devices.append([
                "device_id": .string(device.id.text), "platform": .string("\(device.platform)"),
                "app": .string(device.app), "last_seen_at": .text(device.seenAt?.text),
            ])
        }
        try await devices.end()
        try await sendMessages(of: hash, to: items)
        var history = try await AccountDataFile("notification-history.json", items)
        try await store.readHistory(of: account.key, subject: hash) { event in
            try await history.append([
                "at": .string(event.at.text), "event": .string(event.kind),
                "detail": .text(event.detail), "refused_with": .text(event.outcome),
            ])
        }
        try await history.end()
    }

    private func sendMessages(
        of account: [UInt8], to items: OutgoingItems<AccountDataV1.CollectAccountDataItem>
    ) async throws {
        var file = try await AccountDataFile("messages.json", items)
        var after: Int64 = 0
        while true {
            let from = after
            let page = try await store.read {
                try $0.messages(
                    ofAccount: account, after: from, limit: Self.messagesAtOnce)
            }
            for message in page {
                try await file.append([
                    "message_id": .string(message.id.text),
                    "channel": .string("\(message.channel)"),
                    "template": .string(message.template),
                    "recipient": .string(message.maskedRecipient),
                    "accepted_at": .string(message.acceptedAt.text),
                    "ended_at": .text(message.endedAt?.text),
                ])
            }
            guard let last = page.last else { break }
            after = last.id.key
        }
        try await file.end()
    }
}

/// A message as its account's export shows it.
private struct CollectedMessage: Sendable {
    let id: MessageID
    let channel: Channel
    let template: String
    let maskedRecipient: String
    let acceptedAt: Timestamp
    /// Nil for one that has not ended.
    let endedAt: Timestamp?
}

extension MailTemplate {
    /// Mails that prove an address. Attack: under `enumeration: strict` a stranger signs up with an
    /// address, or changes to it, and orders an export. For a free address this mail is a message of
    /// the stranger's account; for one that has an account the mail is a message of its owner
    /// instead. An export that has it tells which.
    fileprivate static let toUnprovedAddress: [MailTemplate] = [
        .verifyEmail, .verifyEmailCode, .emailChangeConfirm,
    ]
}

extension SQLSession {
    /// The next messages of an account, by id, without mails that prove an address.
    fileprivate func messages(
        ofAccount account: [UInt8], after id: Int64, limit: Int
    ) throws -> [CollectedMessage] {
        try query(
            """
            SELECT id, channel, template, recipient, accepted_at_ms, ended_at_ms FROM message
            WHERE account_hash = ? AND id > ? AND template NOT IN (?, ?, ?)
            ORDER BY id LIMIT ?
            """,
            [.blob(account), .integer(id)]
                + MailTemplate.toUnprovedAddress.map { .text($0.rawValue) }
                + [.integer(Int64(limit))]
        ) { row in
            CollectedMessage(
                id: try row.messageID("id"), channel: try row.channel("channel"),
                template: try row.text("template"), maskedRecipient: try row.text("recipient"),
                acceptedAt: try row.timestamp("accepted_at_ms"),
                endedAt: try row.optionalTimestamp("ended_at_ms"))
        }
    }
}
