import Cryptography
import ServiceRuntime
package import Storage

/// The push messages' way out (N-02): to the device's own platform, if the device still is the
/// account's.
package struct PushRoute: MessageRoute {
    private let providers: [PushPlatform: any PushProvider]
    private let wording: any SMSAndPushWording
    private let product: String
    private let store: Store
    private let keys: NotificationKeys

    /// A route over one provider for each platform.
    init(
        providers: [PushPlatform: any PushProvider], wording: any SMSAndPushWording,
        product: String,
        store: Store, keys: NotificationKeys
    ) {
        self.providers = providers
        self.wording = wording
        self.product = product
        self.store = store
        self.keys = keys
    }

    package var readiness: RouteReadiness { .any(of: providers.values.map(\.gate)) }

    package func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard case .push(let order) = message.content else { return .failed("wrong-channel") }
        let device: StoredDevice
        do {
            let account = keys.account(order.owner)
            let found = try await store.read { try $0.device(order.device, ofAccount: account) }
            // Signed out, or somebody else's by now.
            guard let found else { return .refused("no-device", addressIsDead: false) }
            device = found
        } catch {
            return .failed("store")
        }
        guard let words = wording.words(order, product: product),
            // A key file of another store: the operator can mend that.
            let token = try? keys.devices.open(device.token, of: device.id)
        else { return .failed("unreadable") }
        let push = OutgoingPush(
            id: message.id, token: token, app: device.app, words: words, data: order.data,
            collapseKey: order.collapseKey, isUrgent: order.lane == .security,
            expiresAt: message.expiresAt)
        return await outcome(of: push, to: device)
    }

    /// Drops a dead device; not one that was registered again since.
    package func stop(_ address: DeadAddress, in transaction: Transaction) throws {
        try transaction.dropDeadDevice(address.recipient, seenUpTo: address.acceptedAt)
    }

    private func outcome(
        of push: OutgoingPush, to device: StoredDevice
    ) async -> DeliveryOutcome {
        // Registered when there was one: no try mends that.
        guard let provider = providers[device.platform] else {
            return .refused("no-provider", addressIsDead: false)
        }
        let answer: ProviderAnswer
        switch provider.gate.enter() {
        case .closed(let word, let until): return .unavailable(word, until: until)
        case .pass(let pass):
            answer = await provider.send(push)
            provider.gate.leave(pass, answer.breakerOutcome)
        }
        switch answer {
        case .taken, .takenForChangedNumber: return .taken
        // The app has been there since: it is alive, and the provider will know soon.
        case .addressIsDead(let reason, let since?) where device.seenAt.map { since < $0 } ?? false:
            return .failed(reason)
        case .addressIsDead(let reason, _): return .refused(reason, addressIsDead: true)
        case .refused(let reason): return .refused(reason, addressIsDead: false)
        case .later(let reason, let wait), .failed(let reason, let wait):
            return .failed(reason, retryAfter: wait)
        case .uncertain(let reason): return .uncertain(reason)
        case .cancelled: return .failed("cancelled")
        }
    }
}
