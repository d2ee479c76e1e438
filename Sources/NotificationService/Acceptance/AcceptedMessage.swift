import Cryptography
import ServiceRuntime

/// A message to be inserted into the store.
struct AcceptedMessage: Sendable {
    /// The longest lifetime of a message with a code. Without a limit it would be retried for a
    /// day, and an operator could send it days later.
    static let codeLifeMax: Duration = .seconds(24 * 3_600)

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
    /// Whether it contains a code.
    let holdsCode: Bool
    /// The sealed order: recipient and variables are personal data, and a link is a secret.
    let content: [UInt8]
}

extension AcceptedMessage {
    /// Whether a message that is accepted at `now` expires as it must.
    func hasNeededEnd(at now: Timestamp) -> Bool {
        guard holdsCode else { return true }
        return expiresAt.map { $0 - now <= Self.codeLifeMax } ?? false
    }

    /// Whether it may be dropped when too many messages of its lane are queued for the same
    /// recipient: notices, and warnings that strangers or mere sign-ins can cause in any number.
    /// Other warnings may not. Attack: a thief signs in on forty invented devices so that the mail
    /// about the changed password is dropped.
    var mayBeDropped: Bool {
        channel == .email && (lane.isPatient || Self.repeatable.contains(template))
    }

    private static let repeatable = Set(
        [MailTemplate.emailAlreadyRegistered, .emailChangeConfirm, .newDevice].map(\.rawValue))
}

/// The result of accepting a message.
struct TakenMessage: Sendable {
    let id: MessageID
    /// The recipient's queue was full.
    var isDropped = false
    /// What `RecipientRateLimiter` must record after the commit; nil if nothing was queued.
    var use: RecipientRateLimiter.Use?
}

/// What the store knows of a call.
enum AcceptedBefore: Hashable, Sendable {
    /// Nothing; the call is accepted now.
    case fresh
    /// It was accepted with this message.
    case repeated(MessageID)
    /// Its idempotency key was used for another request.
    case mismatch
}

extension SealedPlace {
    /// Binds a message's sealed content to its row.
    static func content(of id: MessageID) -> SealedPlace {
        SealedPlace(table: "message", column: "content", row: id.key)
    }
}
