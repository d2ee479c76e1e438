import Contracts

/// `postern.gateway.v1.ProviderNotices`: the error texts for the outcome of a provider's dialog
/// (G-24). `describeProviderOutcome` is in the file of its name; identity implements the other rpc.
struct ProviderNoticesHandler: ProviderNoticesService {}
