import Storage

/// What the operator's rules and the documents say about an account.
struct AccountFacts: Hashable, Sendable {
    /// Onboarding is complete.
    let isOnboarded: Bool
    /// The rules require fields of its profile, and it has no profile.
    let lacksProfile: Bool
    /// The rules declare onboarding.
    let hasOnboarding: Bool
}

/// Says what rules and documents say about accounts. Sign-ins know neither.
protocol AccountFactsSource: Sendable {
    /// The facts about an account, if no document has to be looked up for them; nil otherwise.
    /// Every sign-in asks.
    func facts(of row: AccountRow) -> AccountFacts?

    /// The facts about an account.
    func facts(of row: AccountRow, in session: some SQLSession) throws -> AccountFacts
}
