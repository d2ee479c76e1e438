import ServiceRuntime

/// A provider that delivers push messages to devices of one platform.
protocol PushProvider: Sendable {
    /// Its circuit breaker and rate limit.
    var gate: ProviderGuard { get }

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

/// The text of a push message.
package struct PushWords: Hashable, Sendable {
    /// The first line.
    package let title: String
    /// The text below; may be empty.
    package let body: String

    /// A title and a text.
    package init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}
