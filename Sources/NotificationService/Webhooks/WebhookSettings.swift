package import ServiceRuntime

/// What an operator can set of webhooks; the webhooks themselves are added with `postern webhooks`.
package struct WebhookSettings: Settings {
    /// Where they may lead.
    package let targets: WebhookTargets
    /// How long a receiver may take.
    package let timeout: Duration
    /// Authorities to trust instead of the system's.
    package let trustFile: String?

    package init(reading settings: inout SettingsReader) {
        targets = settings.choice(
            "webhook-targets", default: .public,
            reason: "public: https to public addresses. any: http and private addresses too.")
        timeout = settings.duration(
            "webhook-timeout", default: .seconds(10), in: .seconds(1)...(.seconds(60)),
            reason: "A receiver that takes longer is left, and the event sent again later.")
        trustFile = settings.optionalPath(
            "webhook-trust-file", reason: "PEM authorities to trust instead of the system's.")
    }
}
