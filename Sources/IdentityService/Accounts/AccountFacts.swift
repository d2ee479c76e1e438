package import Storage

/// What the operator's rules and the documents say about an account.
package struct AccountFacts: Hashable, Sendable {
    /// Onboarding is complete.
    package let isOnboarded: Bool
    /// The rules require fields of a profile.
    let asksForProfile: Bool
    /// The rules require fields of its profile, and it has no profile.
    let lacksProfile: Bool
    /// The rules declare onboarding.
    let hasOnboarding: Bool
    /// The operator requires a second factor, and it has none. Not of rules: `AccountAnswers` adds it.
    var lacksSecondFactor = false

    /// The facts as a source of them has found them.
    package init(
        isOnboarded: Bool, asksForProfile: Bool, lacksProfile: Bool, hasOnboarding: Bool
    ) {
        self.isOnboarded = isOnboarded
        self.asksForProfile = asksForProfile
        self.lacksProfile = lacksProfile
        self.hasOnboarding = hasOnboarding
    }
}

/// Says what rules and documents say about accounts. Sign-ins know neither.
package protocol AccountFactsSource: Sendable {
    /// The facts about an account, if no document has to be looked up for them; nil otherwise.
    /// Every sign-in asks.
    func facts(of row: AccountRow) -> AccountFacts?

    /// The facts about an account.
    func facts(of row: AccountRow, in session: some SQLSession) throws -> AccountFacts
}
