import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// A message to be inserted into the store.
struct AcceptedMessage: Sendable {
    /// The longest lifetime of a message that must expire. Without a limit a code would be retried
    /// for a day, and an operator could send it days later; and the address of somebody whose
    /// account was deleted would be kept as a dead letter for a week.
    static let lifeMax: Duration = .seconds(24 * 3_600)
    /// How far the caller's clock may be ahead of ours. The last mail about an account has the
    /// longest lifetime by identity's clock; rejected, it would be lost.
    static let clockLeeway: Duration = .seconds(60)

    /// The message's id.
    let id: MessageID
    let channel: Channel
    let lane: Lane
    /// The keyed hash of the call that sent it (G-25).
    let call: [UInt8]
    /// The keyed hash of the request.
    let fingerprint: [UInt8]
    /// The keyed hash of the recipient.
    let recipient: [UInt8]
    let maskedRecipient: String
    /// The keyed hash of the account.
    let account: [UInt8]?
    let template: String
    let expiresAt: Timestamp?
    /// Whether it must expire within `lifeMax`, by the caller's clock.
    let mustExpire: Bool
    /// The sealed order: recipient and variables are personal data, and a link is a secret.
    let content: [UInt8]
}

extension AcceptedMessage {
    /// Whether a message that is accepted at `now` expires as it must.
    func expiresInTime(at now: Timestamp) -> Bool {
        guard mustExpire else { return true }
        return expiresAt.map { $0 - now <= Self.lifeMax + Self.clockLeeway } ?? false
    }

    /// Whether it may be dropped when too many messages of its lane are queued for the same
    /// recipient: notices, and warnings that strangers or mere sign-ins can cause in any number.
    /// Other warnings may not. Attack: a thief signs in on forty invented devices so that the mail
    /// about the changed password is dropped.
    var mayBeDropped: Bool {
        channel == .email && (lane.isLowPriority || Self.repeatable.contains(template))
    }

    private static let repeatable = Set(
        [MailTemplate.emailAlreadyRegistered, .emailChangeConfirm, .newDevice].map(\.rawValue))
}

extension SealedPlace {
    /// Binds a message's sealed content to its row.
    static func content(of id: MessageID) -> SealedPlace {
        SealedPlace(table: "message", column: "content", row: id.key)
    }
}

extension Transaction {
    /// Inserts a message that is due at once, unless its call is known.
    /// - Returns: the message of a repeated call; nil for a new call.
    /// - Throws: `auth/idempotency-key-reused` when the key was used for another request.
    func insert(_ message: AcceptedMessage) throws -> MessageID? {
        let inserted = try execute(
            """
            INSERT INTO message (
                id, call_hash, fingerprint, recipient_hash, template, state, attempts,
                accepted_at_ms, expires_at_ms, due_at_ms, content, channel, lane, account_hash,
                recipient, is_warning)
            VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, ?6, ?7, ?6, ?8, ?9, ?10, ?11, ?12, ?13)
            ON CONFLICT (call_hash) DO NOTHING
            """,
            [
                .integer(message.id.key), .blob(message.call), .blob(message.fingerprint),
                .blob(message.recipient), .text(message.template), SQLValue(at),
                SQLValue(message.expiresAt), .blob(message.content),
                .integer(message.channel.rawValue), .integer(message.lane.number),
                SQLValue(message.account), .text(message.maskedRecipient),
                SQLValue(message.lane.isWarning),
            ])
        if inserted == 1 { return nil }
        let found = try queryOne(
            "SELECT id, fingerprint FROM message WHERE call_hash = ?", [.blob(message.call)]
        ) { (id: try $0.messageID(0), fingerprint: try $0.blob(1)) }
        guard let found else {
            throw SQLError(.unexpectedValue, detail: "a conflicting call was not found")
        }
        guard found.fingerprint == message.fingerprint else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return found.id
    }

    /// Delays a message that was just inserted.
    func postpone(_ id: MessageID, until due: Timestamp) throws {
        try put(
            "UPDATE message SET due_at_ms = ? WHERE id = ?", [SQLValue(due), .integer(id.key)])
    }

    /// Ends a message that was just inserted as dead. Its content is deleted.
    func drop(_ id: MessageID, reason: WithdrawalReason) throws {
        try put(
            """
            UPDATE message
            SET state = 4, due_at_ms = NULL, ended_at_ms = ?, reason = ?, content = NULL
            WHERE id = ?
            """,
            [SQLValue(at), .text(reason.rawValue), .integer(id.key)])
    }
}
