import Contracts

/// `postern.notification.v1.Notifications`: mails (N-01).
package struct NotificationsHandler: NotificationsService {
    let acceptance: MessageAcceptance

    /// A handler that accepts messages through `acceptance`.
    package init(acceptance: MessageAcceptance) {
        self.acceptance = acceptance
    }
}
