import ServiceRuntime

/// The operator's settings for second factors (F-03).
package struct SecondFactorSettings: Sendable {
    /// Whether accounts have second factors.
    package enum Mode: String, CaseIterable, Sendable {
        /// Each owner decides.
        case optional
        /// An account without one has the required action "set up a second factor", and the last
        /// one cannot be removed.
        case required
        /// None is added. Those that are there go on being asked for.
        case off
    }

    /// Whether accounts have second factors.
    package var mode = Mode.optional
    /// How long a removal of all factors waits that support has begun.
    package var resetWait: Duration = .seconds(24 * 3_600)

    /// The least wait of a removal that an application asks for, whatever the setting: a support
    /// desk can be deceived, and its program taken over.
    private static let resetWaitByApplication: Duration = .seconds(3_600)

    /// How long a removal waits.
    /// - Parameter isOperators: Whether the operator's own tool asks for it.
    package func resetWait(byOperator isOperators: Bool) -> Duration {
        isOperators ? resetWait : max(resetWait, Self.resetWaitByApplication)
    }

    /// Declares every setting and reads its value.
    mutating func read(from settings: inout SettingsReader) {
        settings.choice(
            "second-factor", &mode,
            reason: "Whether accounts may or must have a second factor; off: none is added, and "
                + "those that are there are asked for (F-03).")
        settings.duration(
            "second-factor-reset-wait", &resetWait, in: .zero...(.seconds(7 * 86_400)),
            reason: "How long a removal of all second factors by support waits, so that the owner "
                + "can stop it; an hour at least where an application asks for it (F-03).")
    }
}
