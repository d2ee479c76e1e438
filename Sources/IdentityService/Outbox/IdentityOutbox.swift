import CallRecords
import Cryptography
import EmailAddresses
import Messages
import ServiceRuntime
import Storage

/// What other services must hear of identity, each written with the change that it follows.
enum OutboxTopic: String, Sendable {
    /// To notification: `SendEmail`. The payload is the request, sealed: it holds an address and
    /// perhaps a link that works.
    case email
    /// To notification: `SendText`, with a code to a phone. The payload is the request, sealed.
    case text
    /// To session: `EndAccount`. The payload is the request; one account's go in order.
    case endAccount = "end-account"
    /// To notification: `PushDevices.RevokeAll`. The payload is the request.
    case revokeDevices = "revoke-devices"
    /// To identity itself: `ResetMailing`. The payload is a `ResetWish`, of keyed hashes.
    case passwordReset = "password-reset"
    /// To Apple: a code for a grant. The payload is a `GrantOrder`, sealed.
    case grantExchange = "grant-exchange"
    /// To Apple: the end of a grant. The payload is a `GrantOrder`, sealed.
    case grantRevocation = "grant-revocation"
    /// To notification: `SetRelay`. The payload is the request, sealed: it holds an address. One
    /// account's go in order.
    case relay
}

extension OutboxTopic {
    /// All queues that identity's messages use.
    static let queues: [OutboxQueue] = [
        .standard, .sessionEnds, .deviceEnds, .requested,
    ]

    /// Attack: a thief's sessions live on behind mails. Anybody can have thousands of mails written,
    /// and a notification service that takes calls and does not answer them holds each slot for ten
    /// seconds. So what ends access has slots of its own, those to notification apart from those to
    /// session. And what a reader waits for goes apart from what strangers have mailed: a mail by
    /// what it says (`IdentityMail.isRequested`).
    var queue: OutboxQueue {
        switch self {
        case .endAccount: .sessionEnds
        case .revokeDevices: .deviceEnds
        case .text, .passwordReset: .requested
        case .email, .grantExchange, .grantRevocation, .relay: .standard
        }
    }
}

extension OutboxQueue {
    /// Ends of accounts' sessions, to session.
    fileprivate static let sessionEnds = OutboxQueue(number: 1, deliveriesMax: 16)
    /// Ends of accounts' push devices, to notification. Fewer: nobody signs in by them.
    fileprivate static let deviceEnds = OutboxQueue(number: 2, deliveriesMax: 4)
    /// Codes and links that their readers asked for, to notification.
    fileprivate static let requested = OutboxQueue(number: 3, deliveriesMax: 16)
}

/// Makes the outbox's messages.
struct IdentityOutbox: Sendable {
    private static let keyBytes = 16

    let parts: IdentityParts

    /// A key for a message that only this one occasion makes.
    func newKey() -> String { Base64URL.encode(parts.randomness.bytes(Self.keyBytes)) }

    /// A key for the message that each repeat of `call` would make.
    func key(of call: RepeatableCall) -> String { Base64URL.encode(call.key) }

    /// A mail.
    /// - Parameters:
    ///   - account: Whose it is: forgetting the account forgets it too.
    ///   - expiresAt: After this it is worth nothing and is not sent; nil for no end.
    ///   - key: By which notification knows it again.
    func email(
        _ mail: IdentityMail, of account: AccountID, to recipient: String, language: String,
        expiresAt: Timestamp?, key: String
    ) throws -> OutboxMessage {
        let request = NotificationV1.SendEmailRequest(
            recipient: recipient, template: mail.template, language: language,
            variables: mail.variables.map { .init(name: $0.name, value: $0.value) },
            expiresAtMs: expiresAt?.milliseconds ?? 0, accountId: account.text)
        return OutboxMessage(
            topic: OutboxTopic.email.rawValue, key: key,
            payload: try parts.keys.outbox.seal(request.encoded(), at: Self.place(key)),
            queue: mail.isRequested ? .requested : OutboxTopic.email.queue)
    }

    /// How a relay address stands.
    func relay(
        _ address: EmailAddress, isOff: Bool, of account: AccountID
    ) throws -> OutboxMessage {
        let request = NotificationV1.SetRelayRequest(email: address.mailbox, isOff: isOff)
        let key = newKey()
        return OutboxMessage(
            topic: OutboxTopic.relay.rawValue, key: key,
            payload: try parts.keys.outbox.seal(request.encoded(), at: Self.place(key)),
            lane: account.key)
    }

    /// The end of an account's sessions, for its security unless `reason` says otherwise. Only for
    /// `Transaction.endSessions`, which notes it here too.
    /// - Parameter moment: Of the change. A sign-in with the old password may have been proved in
    ///   the same millisecond, so proofs of that one are refused too; `before_ms` is exclusive.
    /// - Parameter session: The one that stays, "ses_…"; empty for none.
    func endAccount(
        _ account: AccountID, provedUntil moment: Timestamp, except session: String = "",
        reason: SessionV1.EndReason = .security
    ) -> OutboxMessage {
        let request = SessionV1.EndAccountRequest(
            accountId: account.text, beforeMs: (moment + ProofIssuer.afterEnd).milliseconds,
            reason: reason, exceptSessionId: session)
        return OutboxMessage(
            topic: OutboxTopic.endAccount.rawValue, key: newKey(), payload: request.encoded(),
            lane: account.key, queue: OutboxTopic.endAccount.queue)
    }

    /// The end of an account's devices that take push messages.
    func revokeDevices(_ account: AccountID) -> OutboxMessage {
        OutboxMessage(
            topic: OutboxTopic.revokeDevices.rawValue, key: newKey(),
            payload: NotificationV1.RevokeDevicesRequest(accountId: account.text).encoded(),
            lane: account.key, queue: OutboxTopic.revokeDevices.queue)
    }

    /// Where a sealed mail belongs.
    static func place(_ key: String) -> SealedPlace { SealedPlace(purpose: "outbox/email/\(key)") }
}
