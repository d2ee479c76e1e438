package import ServiceRuntime

/// What an operator can set of the gateway.
package struct GatewaySettings: Settings {
    /// What each flow does when the limiter cannot be reached.
    package let limiterFailures: [LimitedFlow: LimiterFailure]

    package init(reading settings: inout SettingsReader) {
        var failures: [LimitedFlow: LimiterFailure] = [:]
        for flow in LimitedFlow.allCases {
            failures[flow] = settings.choice(
                "limiter-failure-\(flow.rawValue)", default: flow.failure,
                reason: "When the limiter cannot be reached this flow refuses or passes (R-07).")
        }
        limiterFailures = failures
    }
}

/// What a flow does when the limiter cannot be reached.
package enum LimiterFailure: String, CaseIterable, Sendable {
    /// The flow refuses.
    case refuse
    /// The flow goes on, uncounted.
    case pass
}
