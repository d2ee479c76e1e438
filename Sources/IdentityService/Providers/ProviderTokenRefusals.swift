import Cryptography
import Logging
import Metrics
import ServiceRuntime

/// Says why providers' tokens are refused, with more than the caller learns. The usual reason is
/// a mistake of the operator's, such as an app's client id that is not in the settings. A counter
/// and one log line a minute for each provider and reason, since anybody can send tokens.
struct ProviderTokenRefusals: Sendable {
    private struct Key: Hashable {
        let provider: String
        let reason: String
    }

    private struct Seen: Sendable {
        let counter: Counter
        let throttle: LogThrottle
    }

    private let seen: [Key: Seen]
    private let logger: Logger

    /// - Parameter providers: The names of the configured providers. Names and reasons are fixed,
    ///   so that no caller can create a time series.
    init(providers: [String], time: any Time, logger: Logger) {
        let reasons = Set(
            ProviderTokenCheck.Refusal.allCases.map(\.rawValue)
                + TokenRefusal.allCases.map(\.rawValue))
        var seen: [Key: Seen] = [:]
        for provider in providers {
            for reason in reasons {
                seen[Key(provider: provider, reason: reason)] = Seen(
                    counter: Counter(
                        label: "provider_token_refusals",
                        dimensions: [("provider", provider), ("reason", reason)]),
                    throttle: LogThrottle(time: time))
            }
        }
        self.seen = seen
        self.logger = logger
    }

    /// Counts a refusal, and logs it if its reason was not logged in the last minute.
    /// - Parameter reason: The raw value of a `ProviderTokenCheck.Refusal` or `TokenRefusal`.
    func count(_ reason: String, of provider: Provider) {
        guard let seen = seen[Key(provider: provider.name, reason: reason)] else { return }
        seen.counter.increment()
        guard seen.throttle.allows() else { return }
        logger.info(
            "identity.provider.token.refused", "a provider's ID token or its nonce was refused",
            fields: [.part: .text(provider.name), .reason: .text(reason)])
    }
}
