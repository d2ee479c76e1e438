import Addresses
import Contracts
import Cryptography
import Messages
package import ServiceRuntime
package import Storage

/// The messages to other services. Each is written in the transaction of the change that it
/// reports.
package enum OutboxTopic: String, Sendable {
    /// To notification: `SendEmail`. The payload is the sealed request: it contains an address and
    /// possibly a valid link.
    case email
    /// To notification: `SendText`, with a code to a phone. The payload is the sealed request.
    case text
    /// To notification: `SendPush`, and `SendText` if no device took the push. The payload is a
    /// sealed `NoticeOrder`.
    case notice
    /// To session: `EndAccountSessions`. The payload is the request. Delivered in order for each
    /// account.
    case endAccount = "end-account"
    /// To session: `SetAccountClaims`. The payload is the sealed request. Delivered in order for each
    /// account; session compares versions in any case.
    case accountClaims = "account-claims"
    /// To notification: `PushDevices.RevokeAll`. The payload is the request.
    case revokeDevices = "revoke-devices"
    /// To notification: `PushDevices.Unregister`, of a session's devices. The payload is the request.
    case unregisterDevices = "unregister-devices"
    /// To the identity service itself: `RequestedLinkMailing`. The payload is a
    /// `RequestedLinkMailing.Request`, which consists of keyed hashes.
    case passwordReset = "password-reset"
    /// As `passwordReset`, for a link that deletes the account.
    case deletionLink = "deletion-link"
    /// To a provider: exchanges a code for a grant. The payload is a sealed `GrantOrder`.
    case grantExchange = "grant-exchange"
    /// To a provider: revokes a grant. The payload is a sealed `GrantOrder`.
    case grantRevocation = "grant-revocation"
    /// To notification: `SetRelay`. The payload is the sealed request: it contains an address.
    /// Delivered in order for each account.
    case relay
}

extension OutboxTopic {
    /// All queues of the identity service's messages.
    package static let queues: [OutboxQueue] = [
        .standard, .sessionEnds, .deviceEnds, .requested,
    ]

    /// What a restored copy does not send, since it was sent after the backup, and its links and
    /// codes are void (`IdentityRestore`). All else must arrive.
    package static let voidedByRestore: [OutboxTopic] = [
        .email, .text, .notice, .passwordReset, .deletionLink,
    ]

    /// The queue of a topic. Attack: an attacker's sessions stay valid while their end waits behind
    /// mails. Anybody can cause thousands of mails, and a notification service that accepts calls
    /// without responding holds each delivery slot for ten seconds. Messages that end access
    /// therefore have queues of their own, with separate ones for notification and session. Mails
    /// that a user waits for are also separate from mails that strangers can cause
    /// (`Lane.requested`).
    var queue: OutboxQueue {
        switch self {
        case .endAccount, .accountClaims: .sessionEnds
        case .revokeDevices, .unregisterDevices: .deviceEnds
        case .text, .passwordReset, .deletionLink: .requested
        case .email, .notice, .grantExchange, .grantRevocation, .relay: .standard
        }
    }
}

extension OutboxQueue {
    /// Ends of accounts' sessions, and what their tokens have besides, to session.
    fileprivate static let sessionEnds = OutboxQueue(number: 1, deliveriesMax: 16)
    /// Revocations of accounts' push devices, to notification. Fewer slots, because a push device
    /// gives no sign-in.
    fileprivate static let deviceEnds = OutboxQueue(number: 2, deliveriesMax: 4)
    /// Codes and links that their readers requested, to notification.
    fileprivate static let requested = OutboxQueue(number: 3, deliveriesMax: 16)
}

/// Builds the outbox's messages.
package struct IdentityOutbox: Sendable {
    private static let keyBytes = 16

    let keys: IdentityKeys
    let randomness: any Randomness

    /// A random idempotency key, for a message that is built once.
    package func newKey() -> String { Base64URL.encode(randomness.bytes(Self.keyBytes)) }

    /// The idempotency key that every retry of `call` derives.
    func key(of call: RepeatableCall) -> String { Base64URL.encode(call.key) }

    /// A mail.
    /// - Parameters:
    ///   - account: The recipient's account. Deleting the account also deletes the mail. Nil for
    ///     the last mail, which outlives it.
    ///   - expiresAt: The mail is not sent after this time; nil for no expiry.
    ///   - key: The idempotency key at the notification service.
    /// - Throws: when sealing the payload fails.
    package func email(
        _ mail: Mail, of account: AccountID?, to recipient: String, language: String,
        expiresAt: Timestamp?, key: String
    ) throws -> OutboxMessage {
        let request = NotificationV1.SendEmailRequest(
            recipient: recipient, template: mail.template.rawValue, language: language,
            variables: mail.values.map(\.message),
            expiresAtMs: expiresAt?.milliseconds ?? 0, accountId: account?.text ?? "")
        return OutboxMessage(
            topic: OutboxTopic.email.rawValue, key: key,
            payload: try keys.outbox.seal(
                request.encoded(), at: SealedPlace(outbox: OutboxTopic.email.rawValue, key)),
            queue: mail.template.lane == .requested ? .requested : OutboxTopic.email.queue)
    }

    /// The state of a relay address: whether its provider forwards mail.
    /// - Throws: when sealing the payload fails.
    func relay(
        _ address: EmailAddress, isOff: Bool, of account: AccountID
    ) throws -> OutboxMessage {
        let request = NotificationV1.SetRelayRequest(email: address.mailbox, isOff: isOff)
        let key = newKey()
        return OutboxMessage(
            topic: OutboxTopic.relay.rawValue, key: key,
            payload: try keys.outbox.seal(
                request.encoded(), at: SealedPlace(outbox: OutboxTopic.relay.rawValue, key)),
            orderingKey: account.key)
    }

    /// Ends an account's sessions, for security unless `reason` says otherwise. Only
    /// `Transaction.endSessions` calls it, which also records the end in the identity store.
    /// - Parameter moment: Time of the change. A sign-in with the old password may have been proved
    ///   in the same millisecond, so proofs of that millisecond are rejected too; `before_ms` is
    ///   exclusive.
    /// - Parameter generation: The account's session generation since the change; 0 for an end at
    ///   an earlier time.
    /// - Parameter session: The session that is kept, "ses_…"; empty for none.
    func endAccount(
        _ account: AccountID, provedUntil moment: Timestamp, generation: Int64,
        except session: String = "", reason: GatewayV1.EndReason = .security
    ) -> OutboxMessage {
        let request = SessionV1.EndAccountSessionsRequest(
            accountId: account.text, beforeMs: (moment + ProofIssuer.afterEnd).milliseconds,
            reason: reason, exceptSessionId: session, sessionGeneration: generation)
        return OutboxMessage(
            topic: OutboxTopic.endAccount.rawValue, key: newKey(), payload: request.encoded(),
            orderingKey: account.key, queue: OutboxTopic.endAccount.queue)
    }

    /// Sets what the tokens of an account have besides. `AccountClaimsWriter` and `UnsentClaims` store
    /// the same claims.
    /// - Throws: when sealing the payload fails.
    func claims(
        _ claims: AccountClaims, version: Int64, of account: AccountID
    ) throws -> OutboxMessage {
        let request = SessionV1.SetAccountClaimsRequest(
            accountId: account.text, version: version, claimsJson: claims.json,
            roles: claims.roles)
        let topic = OutboxTopic.accountClaims
        let key = newKey()
        return OutboxMessage(
            topic: topic.rawValue, key: key,
            payload: try keys.outbox.seal(
                request.encoded(), at: SealedPlace(outbox: topic.rawValue, key)),
            orderingKey: account.key, queue: topic.queue)
    }

    /// Revokes an account's devices for push messages.
    func revokeDevices(_ account: AccountID) -> OutboxMessage {
        OutboxMessage(
            topic: OutboxTopic.revokeDevices.rawValue, key: newKey(),
            payload: NotificationV1.RevokeDevicesRequest(accountId: account.text).encoded(),
            orderingKey: account.key, queue: OutboxTopic.revokeDevices.queue)
    }

    /// Removes the devices for push messages of a session that has ended.
    func unregisterDevices(of owner: SessionOwner) -> OutboxMessage {
        let request = NotificationV1.UnregisterDeviceRequest(
            accountId: owner.account.text, sessionId: owner.session)
        return OutboxMessage(
            topic: OutboxTopic.unregisterDevices.rawValue, key: newKey(),
            payload: request.encoded(), orderingKey: owner.account.key,
            queue: OutboxTopic.unregisterDevices.queue)
    }
}

extension SealedPlace {
    /// The associated data of a sealed payload in the outbox. A relay's is sealed as that of a mail:
    /// messages of earlier builds may wait.
    init(outbox topic: String, _ key: String) {
        let name = topic == OutboxTopic.relay.rawValue ? OutboxTopic.email.rawValue : topic
        self.init(purpose: "outbox/\(name)/\(key)")
    }
}
