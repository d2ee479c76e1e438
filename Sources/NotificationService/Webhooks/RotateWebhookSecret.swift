import Messages
import RPC
import ServiceRuntime
import Storage

extension WebhooksHandler {
    /// How long the previous secret signs besides the new one.
    static let formerSecretFor: Duration = .seconds(24 * 3_600)

    /// Gives a webhook a new secret. The previous one signs too for `formerSecretFor`.
    func rotateWebhookSecret(
        _ request: NotificationV1.RotateWebhookSecretRequest, _ context: CallContext
    ) async throws -> NotificationV1.RotateWebhookSecretResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let secret = WebhookSecret.drawn(from: randomness)
        let sealed = try vault.seal(secret.bytes, .secret, of: id)
        let vault = vault
        let until = try await store.write(about: [.webhook(id)]) { transaction in
            guard let row = try transaction.webhook(id) else {
                throw Self.unknown
            }
            let until = transaction.at + Self.formerSecretFor
            try transaction.setSecret(
                sealed, former: vault.sealAsFormer(row.secret, of: id), until: until, of: id)
            try transaction.audit(AuditEvent(.webhookSecretRotated).by(context.application))
            return until
        }
        return NotificationV1.RotateWebhookSecretResponse(
            secret: secret.text, formerUntilMs: until.milliseconds)
    }
}
