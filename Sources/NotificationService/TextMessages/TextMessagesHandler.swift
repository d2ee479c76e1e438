import Contracts

/// `postern.notification.v1.TextMessages`: text messages to phones (N-02). Its one rpc is in
/// `SendText.swift`.
package struct TextMessagesHandler: TextMessagesService {
    let acceptance: MessageAcceptance

    /// A handler that accepts messages through `acceptance`.
    package init(acceptance: MessageAcceptance) {
        self.acceptance = acceptance
    }
}
