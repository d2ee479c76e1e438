import Contracts
package import Messages
package import RPC
import ServiceRuntime

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
