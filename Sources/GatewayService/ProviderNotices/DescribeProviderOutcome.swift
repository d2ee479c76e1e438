import CoreMetrics
import Messages
import RPC
import ServiceRuntime

extension ProviderNoticesHandler {
    /// The longest provider name accepted.
    static let providerBytesMax = 64

    /// G-24: the catalogue's entry for the outcome of a provider's dialog in an app, so that a
    /// backend needs no catalogue of its own. The outcome is counted, so that an operator sees how
    /// many users cancel a dialog.
    /// - Throws: `rpc/invalid-argument` without a provider or an outcome.
    func describeProviderOutcome(
        _ request: GatewayV1.DescribeProviderOutcomeRequest, _ context: CallContext
    ) throws -> GatewayV1.DescribeProviderOutcomeResponse {
        guard (1...Self.providerBytesMax).contains(request.provider.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["provider"])
        }
        guard let outcome = DialogOutcome(request.outcome) else {
            throw ServiceError(.invalidArgument, fields: ["outcome"])
        }
        let provider = DialogProvider(request.provider)
        Counter(
            label: "provider_dialogs",
            dimensions: [("provider", provider.rawValue), ("outcome", outcome.rawValue)]
        ).increment()
        let code = outcome.code(at: provider)
        return GatewayV1.DescribeProviderOutcomeResponse(
            code: code.rawValue, userMessage: code.sentence(in: context.metadata.voice),
            retryable: code.entry.isRetryable, action: code.entry.next.rawValue)
    }
}

/// The provider of a dialog, as a label in metrics. The values are fixed: a label taken from the
/// request would let a caller create any number of time series.
enum DialogProvider: String, Sendable {
    case apple
    case google
    case other

    init(_ name: String) {
        self = Self(rawValue: name) ?? .other
    }
}

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

    func code(at provider: DialogProvider) -> ErrorCode {
        switch (self, provider) {
        case (.cancelled, .apple): .appleCancelled
        case (.cancelled, .google): .googleCancelled
        case (.cancelled, .other): .providerCancelled
        case (.failed, _): .invalidProviderToken
        case (.unavailable, _), (.network, _), (.timeout, _): .providerUnavailable
        }
    }
}
