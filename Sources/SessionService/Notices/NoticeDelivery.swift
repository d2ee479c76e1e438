import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// Hands owners' notices to identity, which knows their mail and language. What it throws is tried
/// again later, for ever: an identity that is down delays a notice and nothing else.
struct NoticeDelivery: Sendable {
    /// For one notice; identity's commit takes milliseconds.
    private static let timeout: Duration = .seconds(10)

    let notices: any AccountNoticesAPI
    let parts: SessionParts
    let logger: Logger

    /// Returns once the notice is identity's, or can never be.
    func deliver(_ message: OutboxMessage) async throws {
        guard message.topic == OwnerNotice.topic, let session = SessionID(text: message.key) else {
            // A newer version wrote it; it is for that one to send.
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

    /// Whether identity says that this notice can never be taken as it is. A key that is reused is
    /// one whose first delivery was taken, before the device's name changed or was erased.
    private static func isFinal(_ code: ErrorCode) -> Bool {
        code == .invalidArgument || code == .idempotencyKeyReused
    }

    private func context(_ message: OutboxMessage) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = message.key
        return CallContext(deadline: parts.time.uptime() + Self.timeout, metadata: metadata)
    }
}
