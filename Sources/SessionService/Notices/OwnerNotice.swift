import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// The notice to an account's owner about a session's end (S-03, G-10), written to the outbox in
/// the transaction of the end. Owners cause the other ends themselves, or are notified by the
/// service that caused them.
///
/// The outbox holds nothing personal: the device's name stays sealed in the session's row until the
/// notice is delivered.
enum OwnerNotice {
    /// The outbox's topic. A message's key is the session's id: a session ends once.
    static let topic = "owner-notice"

    /// The message; nil for an end without a notice.
    static func message(
        of session: Session, ended reason: EndReason, at moment: Timestamp
    ) -> OutboxMessage? {
        guard let kind = kind(of: reason) else { return nil }
        let request = IdentityV1.TellRequest(
            accountId: session.account.text, kind: kind, atMs: moment.milliseconds)
        return OutboxMessage(topic: topic, key: session.id.text, payload: request.encoded())
    }

    private static func kind(of reason: EndReason) -> IdentityV1.NoticeKind? {
        switch reason {
        case .displaced: .sessionDisplaced
        case .replayed: .sessionReplayed
        case .signedOut, .inactive, .maximumAge, .security, .revoked, .providerRevoked,
            .accountDeleted:
            nil
        }
    }
}

/// Delivers owner notices to identity, which knows the owner's mail address and language. Whatever
/// it throws is retried without limit: while identity is down, only notices are delayed.
struct NoticeDelivery: Sendable {
    /// For one notice; identity's commit takes milliseconds.
    private static let timeout: Duration = .seconds(10)

    let notices: any AccountNoticesAPI
    let store: Store
    let devicesShown: SealedBox
    let time: any Time
    let logger: Logger

    /// Returns once identity has accepted the notice or will never accept it.
    func deliver(_ message: OutboxMessage) async throws {
        guard message.topic == OwnerNotice.topic, let session = SessionID(text: message.key) else {
            // A newer version wrote it and will deliver it.
            throw ServiceError(.unknownMethod, detail: "no such outbox topic")
        }
        var request = try IdentityV1.TellRequest(decoding: message.payload)
        let device = try await store.read { try $0.storedDevice(of: session) }
        request.platform = device?.platform ?? ""
        request.deviceName = try device?.opened(of: session, box: devicesShown).name ?? ""
        do {
            _ = try await notices.tell(request, context(message))
        } catch let error as ServiceError where Self.isFinal(error.code) {
            logger.error(
                "outbox.delivery.dead", "an outbox message was dropped: it can not be delivered",
                fields: [.topic: .text(message.topic), .detail: .error(error)])
        }
    }

    /// Whether identity will never accept this notice. A reused key means that the first delivery
    /// was accepted, before the device's name changed or was deleted.
    private static func isFinal(_ code: ErrorCode) -> Bool {
        code == .invalidArgument || code == .idempotencyKeyReused
    }

    private func context(_ message: OutboxMessage) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = message.key
        return CallContext(deadline: time.uptime() + Self.timeout, metadata: metadata)
    }
}
