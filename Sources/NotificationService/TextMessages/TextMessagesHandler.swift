import Contracts

/// `postern.notification.v1.TextMessages`: text messages to phones (N-02). Its one rpc is in
/// `SendText.swift`.
package struct TextMessagesHandler: TextMessagesService {
    let acceptance: MessageAcceptance
    let wording: CatalogueWording

    /// A handler that accepts messages through `acceptance`.
    package init(acceptance: MessageAcceptance, wording: CatalogueWording) {
        self.acceptance = acceptance
        self.wording = wording
    }
}
