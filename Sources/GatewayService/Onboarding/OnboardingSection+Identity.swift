import Messages

extension GatewayV1.OnboardingSection {
    /// A section as the identity service has it.
    init(_ section: IdentityV1.OnboardingSection) {
        self.init(
            name: section.name, screens: section.screens, done: section.done, json: section.json,
            version: section.version,
            missing: section.missing.map {
                GatewayV1.MissingField(field: $0.field, screen: $0.screen, reason: $0.reason)
            })
    }
}
