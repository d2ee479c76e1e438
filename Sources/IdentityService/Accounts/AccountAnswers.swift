import Messages
package import ServiceRuntime
package import Storage

/// Makes the account of an answer: what `AccountReader` decrypts, the URL of its photo, whether its
/// owner has completed onboarding, and what they still have to do (G-01, G-17, G-18).
package struct AccountAnswers: AccountWriting, Sendable {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    /// The operator's rules, as they are now.
    let rules: Reloadable<DocumentRules>
    /// Where the web service serves photos.
    let photos: PhotoURLs

    /// Creates the answers of one store.
    package init(
        settings: IdentitySettings, store: Store, writer: AccountWriter,
        rules: Reloadable<DocumentRules>
    ) {
        self.settings = settings
        self.store = store
        self.writer = writer
        self.rules = rules
        photos = PhotoURLs(settings.documents.webOrigins)
    }

    /// The account as its owner sees it, with the time of its last sign-in.
    /// - Parameter pendingEmail: An address that is not the account's yet; may be empty.
    func account(
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
        let required = rules.value.required
        let needed = required.documents(of: row)
        let found =
            needed.isEmpty
            ? [] : try await store.read { try $0.existing(needed, of: row.account, keys) }
        return try answer(
            row, required.facts(of: row, found: found), lastSignInAt: lastSignInAt,
            pendingEmail: pendingEmail)
    }

    /// What rules and documents say about an account, for `answer(_:_:lastSignInAt:pendingEmail:)`.
    func facts(_ row: AccountRow, in session: some SQLSession) throws -> AccountFacts {
        let required = rules.value.required
        let found = try session.existing(required.documents(of: row), of: row.account, keys)
        return required.facts(of: row, found: found)
    }

    /// The same with facts that were read with the account's row.
    func answer(
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
                    lacksProfile: facts.lacksProfile, hasOnboarding: facts.hasOnboarding)))
    }
}

/// An account as its owner sees it, and what the owner still has to do.
struct AccountAnswer: Hashable, Sendable {
    let account: GatewayV1.Account
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
        return actions
    }
}

/// What the operator's rules and the documents say about an account.
struct AccountFacts: Hashable, Sendable {
    /// Onboarding is complete.
    let isOnboarded: Bool
    /// The rules require fields of its profile, and it has no profile.
    let lacksProfile: Bool
    /// The rules declare onboarding.
    let hasOnboarding: Bool
}

/// The documents whose existence decides about an account. They are looked up only where the rules
/// require some and nothing else decides, since every sign-in and every check of a session makes an
/// account.
struct RequiredDocuments: Hashable, Sendable {
    /// The account's profile; nil if the rules require no field of it.
    let profile: DocumentKey?
    /// Those which a completion of onboarding writes with required fields.
    let onboarding: [DocumentKey]
    /// The rules declare onboarding.
    let hasOnboarding: Bool

    /// The documents that an operator's rules require.
    init(_ collections: [CollectionRules], _ onboarding: OnboardingRules?) {
        let profile = collections.first { $0.name == DocumentRules.profileName }
        self.profile =
            profile?.requiredFields.isEmpty == false ? .main(DocumentRules.profileName) : nil
        let targets = (onboarding?.sections ?? []).flatMap(\.fields)
            .filter(\.rule.isRequired).compactMap(\.target?.collection)
        self.onboarding = Set(targets).sorted().map { .main($0) }
        hasOnboarding = onboarding != nil
    }

    /// Those that matter for an account.
    func documents(of row: AccountRow) -> [DocumentKey] {
        let onboarding = row.onboarding.dependsOnDocuments ? onboarding : []
        guard let profile, !row.isGuest, !onboarding.contains(profile) else { return onboarding }
        return onboarding + [profile]
    }

    /// The facts about an account.
    /// - Parameter found: Those of `documents(of:)` that exist.
    func facts(of row: AccountRow, found: Set<DocumentKey>) -> AccountFacts {
        AccountFacts(
            isOnboarded: row.onboarding.isComplete(
                documentsExist: !onboarding.isEmpty && found.isSuperset(of: onboarding)),
            lacksProfile: profile.map { !row.isGuest && !found.contains($0) } ?? false,
            hasOnboarding: hasOnboarding)
    }
}

extension DocumentKey {
    /// The one document of a collection that rules name.
    static func main(_ collection: String) -> DocumentKey {
        DocumentKey(collection: collection, name: main)
    }
}

extension SQLSession {
    /// Those of some documents that exist.
    func existing(
        _ documents: [DocumentKey], of account: AccountID, _ keys: IdentityKeys
    ) throws -> Set<DocumentKey> {
        Set(
            try documents.filter { document in
                let found = try query(
                    """
                    SELECT 1 FROM documents WHERE account = ? AND name_key = ? AND is_removed = 0
                    """,
                    [.integer(account.key), .blob(keys.documents.nameKey(document, of: account))]
                ) { try $0.integer(0) }
                return !found.isEmpty
            })
    }
}
