import Contracts
import Cryptography
import JSON
import ServiceRuntime
import Storage

/// The route of push messages (N-02): to the device's platform, if the device still belongs to the
/// account.
struct PushRoute: MessageRoute {
    let providers: [PushPlatform: any PushProvider]
    let templates: Reloadable<TemplateCatalogue>
    let product: HeaderText
    let store: Store
    let keys: NotificationKeys

    var readiness: RouteReadiness { .any(of: providers.values.map(\.providerGuard)) }

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard case .push(let order) = message.content else { return .failed(.wrongChannel) }
        let device: StoredDevice
        do {
            let account = keys.account(order.owner)
            let found = try await store.read { try $0.device(order.device, ofAccount: account) }
            // Signed out, or the token belongs to another account now.
            guard let found else { return .refused(.noDevice) }
            device = found
        } catch {
            return .failed(.store)
        }
        guard let words = templates.value.push(of: order, product: product) else {
            return .failed(.notRendered)
        }
        // An error means a key file of another store, which the operator can fix.
        guard let token = try? keys.devices.open(device.token, of: device.id) else {
            return .failed(.unreadable)
        }
        let push = OutgoingPush(
            id: message.id, token: token, app: device.app, words: words, data: order.data,
            collapseKey: order.collapseKey, isUrgent: order.lane == .security,
            expiresAt: message.expiresAt)
        return await outcome(of: push, to: device)
    }

    /// Deletes a dead device, unless it was registered again since.
    /// - Throws: `SQLError`.
    func suppress(_ address: DeadAddress, in transaction: Transaction) throws {
        try transaction.dropDeadDevice(address.recipient, seenUpTo: address.acceptedAt)
    }

    private func outcome(
        of push: OutgoingPush, to device: StoredDevice
    ) async -> DeliveryOutcome {
        // There was a provider when the device was registered. A retry does not help.
        guard let provider = providers[device.platform] else { return .refused(.noProvider) }
        let answer: ProviderAnswer
        switch provider.providerGuard.enter() {
        case .closed(let word, let until): return .unavailable(word, until: until)
        case .pass(let pass):
            answer = await provider.send(push)
            provider.providerGuard.leave(pass, answer.breakerOutcome)
        }
        // The app was in use after that time, so the token is valid, and the provider will soon
        // know.
        if case .addressIsDead(let reason, let since?) = answer,
            device.seenAt.map({ since < $0 }) ?? false
        {
            return .failed(reason)
        }
        return answer.outcome
    }
}

/// A provider that delivers push messages to devices of one platform.
protocol PushProvider: Sendable {
    /// Its circuit breaker and rate limit.
    var providerGuard: ProviderGuard { get }

    /// Sends one message, within a bounded time.
    func send(_ push: OutgoingPush) async -> ProviderAnswer
}

/// A push message to send.
struct OutgoingPush: Hashable, Sendable {
    /// The same at every attempt.
    let id: MessageID
    /// The device's token, decrypted.
    let token: String
    /// The app; empty if there is only one.
    let app: String
    /// The text on the screen.
    let words: PushWords
    /// Data for the app.
    let data: [OrderPair]
    /// A later message with the same key replaces this one. May be empty.
    let collapseKey: String
    /// Whether it is delivered at high priority.
    let isUrgent: Bool
    /// When the message expires.
    let expiresAt: Timestamp?
}

extension OutgoingPush {
    /// What the screen shows, in the form of both providers.
    var shownJSON: JSONObject {
        var object: JSONObject = ["title": .string(words.title)]
        if !words.body.isEmpty { _ = object.add("body", .string(words.body)) }
        return object
    }

    /// Data for the app, with the message's id.
    var dataJSON: JSONObject {
        var object: JSONObject = [:]
        for pair in data { _ = object.add(pair.name, .string(pair.value)) }
        _ = object.add(PushText.idName, .string(id.text))
        return object
    }
}

/// The text of a push message.
package struct PushWords: Hashable, Sendable {
    /// The first line.
    package let title: String
    /// The text below; may be empty.
    package let body: String
}
