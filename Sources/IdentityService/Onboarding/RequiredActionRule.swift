import Messages

/// What an account's owner still has to do (G-01), in this order:
///
///     action                when
///     accept terms          no guest, and the app asks for consent to the current terms and privacy
///                           text, which the account has not given
///     parental consent      the account needs the consent of a parent, and has not got it
///     verify email          the address is not verified, or there is none and one is pending
///     complete profile      no guest, and: the app requires a display name and there is none, or
///                           its rules require fields of `profile` and there is no document
///     complete onboarding   the rules declare onboarding, and it is not complete
enum RequiredActionRule {
    /// What the app requires, and the account lacks.
    struct Demands: Hashable, Sendable {
        /// The app asks for consent, and the account has not given it.
        var lacksConsent = false
        /// The account needs the consent of a parent, and has not got it.
        var lacksParent = false
        /// Accounts must have a display name.
        var requiresDisplayName = false
        /// The rules require fields of the account's profile, which it does not have.
        var lacksProfile = false
        /// The rules declare onboarding.
        var hasOnboarding = false
    }

    /// What the owner of `account` has to do.
    static func actions(
        _ account: IdentityV1.Account, _ demands: Demands
    ) -> [IdentityV1.RequiredAction] {
        var actions: [IdentityV1.RequiredAction] = []
        if demands.lacksConsent, !account.isGuest { actions.append(.acceptTerms) }
        if demands.lacksParent { actions.append(.parentalConsent) }
        if account.email.isEmpty ? !account.pendingEmail.isEmpty : !account.emailVerified {
            actions.append(.verifyEmail)
        }
        let lacksName = demands.requiresDisplayName && account.displayName.isEmpty
        if !account.isGuest, lacksName || demands.lacksProfile { actions.append(.completeProfile) }
        if demands.hasOnboarding, !account.onboardingComplete {
            actions.append(.completeOnboarding)
        }
        return actions
    }
}
