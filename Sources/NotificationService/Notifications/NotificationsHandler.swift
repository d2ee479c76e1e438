import Contracts

/// `postern.notification.v1.Notifications`: mails (N-01). Its one rpc is in `SendEmail.swift`.
package struct NotificationsHandler: NotificationsService {
    let acceptance: MessageAcceptance

    /// A handler that accepts messages through `acceptance`.
    package init(acceptance: MessageAcceptance) {
        self.acceptance = acceptance
    }
}
