package import ServiceRuntime

/// The operator's settings of the gateway.
package struct GatewaySettings: Settings {
    /// What each flow does when the rate limiter does not answer.
    package let limiterFailures: [LimitedFlow: LimiterFailure]

    package init(reading settings: inout SettingsReader) {
        var failures: [LimitedFlow: LimiterFailure] = [:]
        for flow in LimitedFlow.allCases {
            failures[flow] = settings.choice(
                "limiter-failure-\(flow.rawValue)", default: flow.failure,
                reason: "What this flow does if the rate limiter does not answer (R-07).")
        }
        limiterFailures = failures
    }
}

/// What a flow does when the rate limiter does not answer.
package enum LimiterFailure: String, CaseIterable, Sendable {
    /// The flow fails with `rpc/unavailable`.
    case refuse
    /// The flow proceeds without being counted.
    case pass
}
