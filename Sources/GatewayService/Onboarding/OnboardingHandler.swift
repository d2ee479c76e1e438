import Contracts
import Messages

/// `postern.gateway.v1.Onboarding`: from the first screen to a complete profile (G-18). Each rpc is
/// in the file of its name: `getOnboarding`, `saveOnboardingSection`, `restartOnboarding`,
/// `completeOnboarding`, `hasCompletedOnboarding`.
struct OnboardingHandler: OnboardingService {
    let onboarding: any AccountOnboardingAPI
    /// For the account's flag alone.
    let profiles: any AccountProfilesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
    let photos: PhotoURLs
}

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
