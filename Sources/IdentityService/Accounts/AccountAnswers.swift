package import Messages
package import ServiceRuntime
package import Storage

/// Makes the account of an answer: what `AccountReader` decrypts, the URL of its photo, whether its
/// owner has completed onboarding, and what they still have to do (G-01, G-17, G-18).
package struct AccountAnswers: AccountWriting, Sendable {
    /// The settings of sign-ins.
    package let settings: IdentitySettings
    /// Where the facts are read.
    package let store: Store
    /// Decrypts the rows of accounts.
    package let writer: AccountWriter
    /// What rules and documents say about accounts.
    let source: any AccountFactsSource
    /// Where the web service serves photos.
    package let photos: PhotoURLs

    /// Creates the answers of one store.
    init(
        settings: IdentitySettings, store: Store, writer: AccountWriter,
        facts source: any AccountFactsSource
    ) {
        self.settings = settings
        self.store = store
        self.writer = writer
        self.source = source
        photos = PhotoURLs(settings.webOrigins)
    }

    /// The account as its owner sees it, with the time of its last sign-in.
    /// - Parameter pendingEmail: An address that is not the account's yet; may be empty.
    /// - Throws: `SQLError`; if the account's key does not decrypt.
    package func account(
        _ row: AccountRow, pendingEmail: String = ""
    ) async throws -> GatewayV1.Account {
        try await answer(
            row, lastSignInAt: row.lastSignInAt, pendingEmail: pendingEmail
        ).account
    }

    /// The account as its owner sees it, and what the owner still has to do.
    /// - Parameters:
    ///   - lastSignInAt: The time of the sign-in before the current one.
    ///   - pendingEmail: An address that is not the account's yet; may be empty.
    func answer(
        _ row: AccountRow, lastSignInAt: Timestamp?, pendingEmail: String = ""
    ) async throws -> AccountAnswer {
        if !requiresSecondFactor, let known = source.facts(of: row) {
            return try answer(row, known, lastSignInAt: lastSignInAt, pendingEmail: pendingEmail)
        }
        let read = try await store.read { try facts(row, in: $0) }
        return try answer(row, read, lastSignInAt: lastSignInAt, pendingEmail: pendingEmail)
    }

    /// What rules and documents say about an account, for `answer(_:_:lastSignInAt:pendingEmail:)`.
    /// - Throws: `SQLError`.
    package func facts(_ row: AccountRow, in session: some SQLSession) throws -> AccountFacts {
        var facts = try source.facts(of: row, in: session)
        if requiresSecondFactor {
            facts.lacksSecondFactor =
                try !session.hasSecondFactor(row.account)
                && !session.hasPasskeyAsFactor(row.account, settings)
        }
        return facts
    }

    private var requiresSecondFactor: Bool { settings.secondFactors.mode == .required }

    /// The same with facts that were read with the account's row.
    /// - Throws: if the account's key does not decrypt.
    package func answer(
        _ row: AccountRow, _ facts: AccountFacts, lastSignInAt: Timestamp?,
        pendingEmail: String = ""
    ) throws -> AccountAnswer {
        var account = try reader.message(row, lastSignInAt: lastSignInAt)
        // An uploaded photo comes before the picture from a provider or an import.
        if let photo = row.photo {
            account.photoUrl = photos.url(
                of: try reader.vault(row).open(photo.sealedName, .photoName(photo.rowKey)))
        }
        account.pendingEmail = pendingEmail
        account.onboardingComplete = facts.isOnboarded
        return AccountAnswer(
            account: account,
            requiredActions: RequiredActionRule.actions(
                account,
                RequiredActionRule.Demands(
                    lacksConsent: settings.consent.isLacking(row.consents),
                    lacksParent: row.parentalConsent.isLacking,
                    requiresDisplayName: settings.displayName == .required,
                    lacksProfile: facts.lacksProfile, hasOnboarding: facts.hasOnboarding,
                    lacksSecondFactor: facts.lacksSecondFactor)))
    }
}

/// An account as its owner sees it, and what the owner still has to do.
package struct AccountAnswer: Hashable, Sendable {
    /// The account, as its owner sees it.
    package let account: GatewayV1.Account
    /// In the order of `RequiredActionRule`.
    let requiredActions: [GatewayV1.RequiredAction]
}

/// What an account's owner still has to do (G-01), in this order:
///
///     action                when
///     accept terms          no guest, and the app asks for consent to the current terms and
///                           privacy text, which the account has not given
///     parental consent      the account needs the consent of a parent, and has not got it
///     verify email          the address is not verified, or there is none and one is pending
///     complete profile      no guest, and: the app requires a display name and there is none, or
///                           its rules require fields of `profile` and there is no document
///     complete onboarding   the rules declare onboarding, and it is not complete
///     set up second factor  no guest, and the operator requires a second factor, and there is none,
///                           nor a passkey
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
        /// The operator requires a second factor, which the account does not have.
        var lacksSecondFactor = false
    }

    /// What the owner of `account` has to do.
    static func actions(
        _ account: GatewayV1.Account, _ demands: Demands
    ) -> [GatewayV1.RequiredAction] {
        var actions: [GatewayV1.RequiredAction] = []
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
        if demands.lacksSecondFactor, !account.isGuest { actions.append(.setUpSecondFactor) }
        return actions
    }
}
