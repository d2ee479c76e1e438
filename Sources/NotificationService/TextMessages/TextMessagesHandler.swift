import Contracts

/// `postern.notification.v1.TextMessages`: text messages to phones (N-02). Its one rpc is in
/// `SendText.swift`.
struct TextMessagesHandler: TextMessagesService {
    let acceptance: MessageAcceptance
}
