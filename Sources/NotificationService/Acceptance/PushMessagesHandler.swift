import Contracts
import Storage

/// `postern.notification.v1.PushMessages`: push messages to an account's devices (N-02).
struct PushMessagesHandler: PushMessagesService {
    let store: Store
    let keys: NotificationKeys
    let acceptance: MessageAcceptance
}
