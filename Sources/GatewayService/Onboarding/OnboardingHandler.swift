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
