import Cryptography
package import ServiceRuntime

/// A message as it goes into the store.
package struct AcceptedMessage: Sendable {
    /// The longest that a message with a code may be of use: it would else be tried for a day, and
    /// an operator could have it sent days later.
    static let codeLifeMax: Duration = .seconds(24 * 3_600)

    /// The message.
    package let id: MessageID
    let channel: Channel
    let lane: Lane
    /// The keyed hash of the call that brought it (G-25).
    let call: [UInt8]
    /// The keyed hash of its request.
    let fingerprint: [UInt8]
    /// The keyed hash of its recipient.
    let recipient: [UInt8]
    let maskedRecipient: String
    /// The keyed hash of whose it is.
    let account: [UInt8]?
    let template: String
    let expiresAt: Timestamp?
    /// Whether it says a code.
    let holdsCode: Bool
    /// The order, sealed: recipient and variables are personal, and a link is a secret.
    let content: [UInt8]
}

extension AcceptedMessage {
    /// Whether a message that comes at `now` has the end that it needs.
    func hasNeededEnd(at now: Timestamp) -> Bool {
        guard holdsCode else { return true }
        return expiresAt.map { $0 - now <= Self.codeLifeMax } ?? false
    }

    /// Whether it may be dropped where too many of its lane wait for the same recipient: notices, and
    /// warnings that strangers or sign-ins alone can cause any number of. Attack: a thief signs in on
    /// forty invented devices, so that the mail about the changed password is dropped.
    var mayBeDropped: Bool {
        channel == .email && (lane.isPatient || Self.repeatable.contains(template))
    }

    private static let repeatable = Set(
        [MailTemplate.emailAlreadyRegistered, .emailChangeConfirm, .newDevice].map(\.rawValue))
}

/// A message as it was taken on.
struct TakenMessage: Sendable {
    let id: MessageID
    /// The line of its recipient was full.
    var isDropped = false
    /// What `RecipientRateLimiter` learns of it after the commit; nil where nothing was added to the line.
    var use: RecipientRateLimiter.Use?
}

/// What is known of a call.
enum AcceptedBefore: Hashable, Sendable {
    /// Nothing; it is accepted now.
    case fresh
    /// It was accepted as this message.
    case repeated(MessageID)
    /// Its idempotency key was used for another request.
    case mismatch
}

extension SealedPlace {
    /// Where a message's sealed content belongs.
    static func content(of id: MessageID) -> SealedPlace {
        SealedPlace(table: "message", column: "content", row: id.key)
    }
}
