import Contracts
import CoreMetrics
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.ProviderNotices`: the error texts for the outcome of a provider's dialog
/// (G-24). Identity serves all but `describeProviderOutcome`.
struct ProviderNoticesHandler: ProviderNoticesService {
    /// The longest provider name accepted.
    static let providerBytesMax = 64
    /// The label of all providers that are not built in. Attack: labels that are taken from requests
    /// let a caller create any number of time series.
    private static let otherProvider = "other"

    let alternatives: KnownAlternatives

    /// G-24: the catalogue's entry for the outcome of a provider's dialog in an app, so that a
    /// backend needs no catalogue of its own. The outcome is counted, so that an operator sees how
    /// many users cancel a dialog. What else would do is in memory.
    func describeProviderOutcome(
        _ request: GatewayV1.DescribeProviderOutcomeRequest, _ context: CallContext
    ) throws -> GatewayV1.DescribeProviderOutcomeResponse {
        guard (1...Self.providerBytesMax).contains(request.provider.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["provider"])
        }
        guard let outcome = DialogOutcome(request.outcome) else {
            throw ServiceError(.invalidArgument, fields: ["outcome"])
        }
        let provider = BuiltInProvider(rawValue: request.provider)
        let label = provider?.rawValue ?? Self.otherProvider
        Counter(
            label: "provider_dialogs",
            dimensions: [("provider", label), ("outcome", outcome.rawValue)]
        ).increment()
        let code = outcome.code(at: provider)
        return GatewayV1.DescribeProviderOutcomeResponse(
            code: code.rawValue, userMessage: code.sentence(in: context.metadata.voice),
            retryable: code.entry.isRetryable, action: code.entry.next.rawValue,
            alternatives: alternatives.alternatives(
                to: .provider(request.provider), after: code, without: context.appWithout))
    }
}
