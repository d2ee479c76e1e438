import Cryptography
import ServiceRuntime

/// A message as it goes into the store.
struct AcceptedMessage: Sendable {
    let id: MessageID
    /// The keyed hash of the call that brought it (G-25).
    let call: [UInt8]
    /// The keyed hash of its request.
    let fingerprint: [UInt8]
    /// The keyed hash of its recipient.
    let recipient: [UInt8]
    let template: MailTemplate
    let expiresAt: Timestamp?
    /// The request, sealed: recipient and variables are personal, and a link is a secret.
    let content: [UInt8]
}

/// What is known of a call.
enum AcceptedBefore: Hashable, Sendable {
    /// Nothing.
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
