import Contracts
package import Storage

/// `postern.notification.v1.PushMessages`: push messages to an account's devices (N-02). Its one
/// rpc is in `SendPush.swift`.
package struct PushMessagesHandler: PushMessagesService {
    let store: Store
    let keys: NotificationKeys
    let acceptance: MessageAcceptance

    /// A handler that accepts messages through `acceptance`.
    package init(store: Store, keys: NotificationKeys, acceptance: MessageAcceptance) {
        self.store = store
        self.keys = keys
        self.acceptance = acceptance
    }
}
