import ServiceRuntime

/// Somebody who brings push messages to devices of one platform.
protocol PushProvider: Sendable {
    /// Its breaker and rate.
    var gate: ProviderGuard { get }

    /// Hands one over, within a bounded time.
    func send(_ push: OutgoingPush) async -> ProviderAnswer
}

/// A push message on its way out.
struct OutgoingPush: Hashable, Sendable {
    /// The same at every try.
    let id: MessageID
    /// The device's, in clear.
    let token: String
    /// The app; empty where there is but one.
    let app: String
    /// What the screen shows.
    let words: PushWords
    /// What the app gets beside them.
    let data: [OrderPair]
    /// A later message with the same one takes this one's place; may be empty.
    let collapseKey: String
    /// Whether somebody waits for it.
    let isUrgent: Bool
    /// From then on it is worth nothing.
    let expiresAt: Timestamp?
}
