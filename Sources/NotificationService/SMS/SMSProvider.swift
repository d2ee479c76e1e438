import ServiceRuntime

/// Somebody who brings text messages to phones.
protocol SMSProvider: Sendable {
    /// Its breaker and rate.
    var gate: ProviderGuard { get }

    /// Hands one over, within a bounded time. Not told apart: what the provider never saw, and what
    /// it took and could not tell us.
    func send(_ text: OutgoingText) async -> ProviderAnswer
}

/// A text message on its way out.
struct OutgoingText: Hashable, Sendable {
    /// The same at every try.
    let id: MessageID
    /// E.164.
    let recipient: String
    /// What the phone shows.
    let text: String
    /// From then on it is worth nothing.
    let expiresAt: Timestamp?
}
