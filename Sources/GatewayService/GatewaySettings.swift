package import ServiceRuntime

/// What an operator can set of the gateway.
package struct GatewaySettings: Settings {
    /// What sign-up and sign-in do when the limiter cannot be reached.
    package let limiterFailure: LimiterFailure

    package init(reading settings: inout SettingsReader) {
        limiterFailure = settings.choice(
            "limiter-failure", default: .refuse,
            reason:
                "Passwords are guessed while nobody counts, so the safe side is to refuse (R-07).")
    }
}

/// What a flow does when the limiter cannot be reached.
package enum LimiterFailure: String, CaseIterable, Sendable {
    /// The flow refuses.
    case refuse
    /// The flow goes on, uncounted.
    case pass
}
