package import IdentityService
package import ServiceRuntime
package import Storage

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

    /// Whether it is one of them for some account.
    func contains(_ document: DocumentKey) -> Bool {
        document == profile || onboarding.contains(document)
    }

    /// The facts about an account.
    /// - Parameter found: Those of `documents(of:)` that exist.
    func facts(of row: AccountRow, found: Set<DocumentKey>) -> AccountFacts {
        AccountFacts(
            isOnboarded: row.onboarding.isComplete(
                documentsExist: !onboarding.isEmpty && found.isSuperset(of: onboarding)),
            asksForProfile: profile != nil,
            lacksProfile: profile.map { !row.isGuest && !found.contains($0) } ?? false,
            hasOnboarding: hasOnboarding)
    }
}

/// The facts about accounts, by the operator's rules as they are now.
package struct DocumentFacts: AccountFactsSource {
    let rules: Reloadable<DocumentRules>
    let keys: IdentityKeys

    /// The facts by these rules, in the store of these keys.
    package init(rules: Reloadable<DocumentRules>, keys: IdentityKeys) {
        self.rules = rules
        self.keys = keys
    }

    package func facts(of row: AccountRow) -> AccountFacts? {
        let required = rules.value.required
        return required.documents(of: row).isEmpty ? required.facts(of: row, found: []) : nil
    }

    /// - Throws: `SQLError`.
    package func facts(of row: AccountRow, in session: some SQLSession) throws -> AccountFacts {
        let required = rules.value.required
        let found = try session.existing(required.documents(of: row), of: row.account, keys)
        return required.facts(of: row, found: found)
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
    fileprivate func existing(
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
