import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// `postern.notification.v1.Notifications`: mails (N-01).
package struct NotificationsHandler: NotificationsService {
    let acceptance: MessageAcceptance

    /// A handler that accepts messages through `acceptance`.
    package init(acceptance: MessageAcceptance) {
        self.acceptance = acceptance
    }
}

extension NotificationsHandler {
    /// Accepts one mail.
    package func sendEmail(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendEmailResponse {
        let id = try await acceptance.accept(
            EmailOrder(request), method: NotificationsDescription.sendEmail.name, context)
        return NotificationV1.SendEmailResponse(messageId: id.text)
    }
}
