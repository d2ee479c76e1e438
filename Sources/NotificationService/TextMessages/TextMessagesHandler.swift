import Contracts

/// `postern.notification.v1.TextMessages`: text messages to phones (N-02).
struct TextMessagesHandler: TextMessagesService {
    let acceptance: MessageAcceptance
}
