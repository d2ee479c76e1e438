import ServiceRuntime

/// A provider that delivers text messages to phones.
protocol SMSProvider: Sendable {
    /// Its circuit breaker and rate limit.
    var gate: ProviderGuard { get }

    /// Sends one message, within a bounded time. The answer does not distinguish a message that the
    /// provider never received from one that it took without an answer reaching us.
    func send(_ text: OutgoingText) async -> ProviderAnswer
}

/// A text message to send.
struct OutgoingText: Hashable, Sendable {
    /// The same at every attempt.
    let id: MessageID
    /// E.164.
    let recipient: String
    /// The text that the phone shows.
    let text: String
    /// When the message expires.
    let expiresAt: Timestamp?
}
