import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// Delivers owner notices to identity, which knows the owner's mail address and language. Whatever
/// it throws is retried without limit: while identity is down, only notices are delayed.
struct NoticeDelivery: Sendable {
    /// For one notice; identity's commit takes milliseconds.
    private static let timeout: Duration = .seconds(10)

    let notices: any AccountNoticesAPI
    let parts: SessionParts
    let logger: Logger

    /// Returns once identity has accepted the notice or will never accept it.
    func deliver(_ message: OutboxMessage) async throws {
        guard message.topic == OwnerNotice.topic, let session = SessionID(text: message.key) else {
            // A newer version wrote it and will deliver it.
            throw ServiceError(.unknownMethod, detail: "no such outbox topic")
        }
        var request = try IdentityV1.TellRequest(decoding: message.payload)
        let device = try await parts.store.read { try $0.storedDevice(of: session) }
        request.platform = device?.platform ?? ""
        request.deviceName = try device?.name(of: session, box: parts.keys.deviceNames) ?? ""
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
        return CallContext(deadline: parts.time.uptime() + Self.timeout, metadata: metadata)
    }
}
