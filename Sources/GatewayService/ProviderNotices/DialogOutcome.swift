import Contracts
import Messages
import ServiceRuntime

/// How a dialog ended, and the error code for it. A pure function:
///
///     outcome       apple                    google                   another provider
///     cancelled     auth/apple-cancelled     auth/google-cancelled    auth/provider-cancelled
///     failed        auth/invalid-provider-token, "Sign-in failed. Please try again" (FR-023)
///     unavailable   auth/provider-unavailable
///     network       auth/provider-unavailable
///     timeout       auth/provider-unavailable
enum DialogOutcome: String, CaseIterable, Sendable {
    case cancelled
    case failed
    case unavailable
    case network
    case timeout

    /// The outcome in a request; nil if it is unset or unknown to this version.
    init?(_ message: GatewayV1.ProviderOutcome) {
        switch message {
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        case .unavailable: self = .unavailable
        case .network: self = .network
        case .timeout: self = .timeout
        case .unspecified, .unrecognized: return nil
        }
    }

    /// The error code.
    /// - Parameter provider: nil for one that the operator has added.
    func code(at provider: BuiltInProvider?) -> ErrorCode {
        switch (self, provider) {
        case (.cancelled, .apple?): .appleCancelled
        case (.cancelled, .google?): .googleCancelled
        case (.cancelled, nil): .providerCancelled
        case (.failed, _): .invalidProviderToken
        case (.unavailable, _), (.network, _), (.timeout, _): .providerUnavailable
        }
    }
}
