import Contracts
import Cryptography
package import Logging
import Messages
import RPC
package import ServiceRuntime
package import Storage

/// Delivers the outbox's messages to the other services. A thrown error is retried without limit. A
/// message that can never be delivered is logged and dropped.
package struct OutboxDelivery: AccountWriting, Sendable {
    /// For one message. The receivers' own commits take milliseconds.
    private static let timeout: Duration = .seconds(10)

    let store: Store
    /// Writes accounts.
    package let writer: AccountWriter
    let time: any Time
    let logger: Logger
    let peers: IdentityPeers
    let resets: RequestedLinkMailing
    /// Delivers the orders for providers.
    package let grants: GrantDelivery

    /// Creates the delivery to `peers`.
    /// - Parameter endpoints: For exchanging codes and revoking grants.
    package init(
        settings: IdentitySettings, store: Store, writer: AccountWriter, time: any Time,
        logger: Logger, peers: IdentityPeers, endpoints: GrantEndpoints = .none
    ) {
        self.store = store
        self.writer = writer
        self.time = time
        self.logger = logger
        self.peers = peers
        resets = RequestedLinkMailing(settings: settings, store: store, writer: writer)
        grants = GrantDelivery(
            store: store, writer: writer, time: time, logger: logger, endpoints: endpoints)
    }

    /// Returns when the receiver has accepted the message, or the message is obsolete.
    /// - Throws: the error of the call, for a retry; `rpc/unknown-method` for an unknown topic.
    package func deliver(_ message: OutboxMessage) async throws {
        switch OutboxTopic(rawValue: message.topic) {
        case .email: try await sendEmail(message)
        case .text: try await sendText(message)
        case .notice: try await sendNotice(message)
        case .endAccount: try await endAccount(message)
        case .accountClaims: try await setClaims(message)
        case .revokeDevices: try await revokeDevices(message)
        case .unregisterDevices: try await unregisterDevices(message)
        case .passwordReset: try await resets.run(message, .resetPassword)
        case .deletionLink: try await resets.run(message, .deleteAccount)
        case .grantExchange: try await grants.exchange(message)
        case .grantRevocation: try await grants.revoke(message)
        case .relay: try await setRelay(message)
        case nil:
            // A newer version wrote the message, and only that version can deliver it.
            throw ServiceError(.unknownMethod, detail: "unknown outbox topic")
        }
    }

    private func sendEmail(_ message: OutboxMessage) async throws {
        let request = try NotificationV1.SendEmailRequest(decoding: opened(message))
        guard try await isWanted(message, until: request.expiresAtMs, of: request.accountId)
        else { return }
        try await notify(message) { _ = try await peers.notifications.sendEmail(request, $0) }
    }

    private func sendText(_ message: OutboxMessage) async throws {
        let request = try NotificationV1.SendTextRequest(decoding: opened(message))
        guard try await isWanted(message, until: request.expiresAtMs, of: request.accountId)
        else { return }
        try await notify(message) { _ = try await peers.texts.sendText(request, $0) }
    }

    /// Pushes, and sends the text if no device took the push (`NoticeOrder`). A push that
    /// notification will never accept was taken by no device.
    private func sendNotice(_ message: OutboxMessage) async throws {
        let order = try NoticeOrder(opened(message))
        guard try await isWanted(message, until: order.expiresAtMs, of: order.account)
        else { return }
        if let push = order.push {
            var isTaken = false
            try await notify(message, part: "push") {
                isTaken = try await !peers.pushes.sendPush(push, $0).messageIds.isEmpty
            }
            if isTaken { return }
        }
        guard let text = order.text else { return }
        try await notify(message, part: "text") { _ = try await peers.texts.sendText(text, $0) }
    }

    private func setRelay(_ message: OutboxMessage) async throws {
        let request = try NotificationV1.SetRelayRequest(decoding: opened(message))
        try await notify(message) { _ = try await peers.relays.setRelay(request, $0) }
    }

    private func opened(_ message: OutboxMessage) throws -> [UInt8] {
        try keys.outbox.open(message.payload, at: SealedPlace(outbox: message.topic, message.key))
    }

    /// Whether a message about an account is still to be sent: it has not expired, which is logged.
    /// After the account's deletion has begun, the notification service would keep an address or a
    /// number that it has just forgotten.
    private func isWanted(
        _ message: OutboxMessage, until expiresAtMs: Int64, of accountID: String
    ) async throws -> Bool {
        guard expiresAtMs == 0 || expiresAtMs > time.now().milliseconds else {
            giveUp(message, "expired")
            return false
        }
        guard let account = AccountID(text: accountID) else { return true }
        return try await store.read { try $0.mayNotify(account) }
    }

    /// Calls the notification service, and gives up what it rejects permanently.
    /// - Parameter part: Names one of several calls of a message; their keys are derived of it.
    private func notify(
        _ message: OutboxMessage, part: String? = nil,
        _ call: (CallContext) async throws -> Void
    ) async throws {
        do {
            try await call(context(message, part: part))
        } catch let error as ServiceError where Self.isFinal(error.code) {
            giveUp(message, error.code.rawValue)
        }
    }

    private func endAccount(_ message: OutboxMessage) async throws {
        let request = try SessionV1.EndAccountSessionsRequest(decoding: message.payload)
        // Retried without limit: after a password change, the old sessions must end.
        _ = try await peers.sessions.endAccountSessions(request, context(message))
    }

    /// Not once the account's deletion has begun: session may have forgotten it.
    private func setClaims(_ message: OutboxMessage) async throws {
        let request = try SessionV1.SetAccountClaimsRequest(decoding: opened(message))
        guard try await isWanted(message, until: 0, of: request.accountId) else { return }
        // Retried without limit, also while session is of a release that knows no claims.
        _ = try await peers.sessions.setAccountClaims(request, context(message))
    }

    private func revokeDevices(_ message: OutboxMessage) async throws {
        let request = try NotificationV1.RevokeDevicesRequest(decoding: message.payload)
        // Retried without limit: an attacker's device must not keep receiving the owner's messages.
        _ = try await peers.pushDevices.revokeAll(request, context(message))
    }

    private func unregisterDevices(_ message: OutboxMessage) async throws {
        let request = try NotificationV1.UnregisterDeviceRequest(decoding: message.payload)
        // Retried without limit: the session that has the device has ended.
        _ = try await peers.pushDevices.unregister(request, context(message))
    }

    /// Whether the notification service rejects the message permanently.
    private static func isFinal(_ code: ErrorCode) -> Bool {
        switch code {
        case .invalidArgument, .invalidEmail, .idempotencyKeyReused: true
        default: false
        }
    }

    private func giveUp(_ message: OutboxMessage, _ reason: String) {
        logger.error(
            "outbox.delivery.dead", "an outbox message was dropped: it can not be delivered",
            fields: [.topic: .text(message.topic), .reason: .text(reason)])
    }

    private func context(_ message: OutboxMessage, part: String? = nil) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = part.map { "\(message.key)-\($0)" } ?? message.key
        return CallContext(deadline: time.uptime() + Self.timeout, metadata: metadata)
    }
}
