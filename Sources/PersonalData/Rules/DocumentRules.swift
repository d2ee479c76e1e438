/// The operator's rules for documents and onboarding (I-07, G-18), read and replaced as a whole.
package struct DocumentRules: Hashable, Sendable {
    /// The collections that exist without a declaration. Without one they take any fields.
    package static let builtIn = ["profile", "goals", "settings", "preferences", onboardingName]
    /// The collection of the drafts of sections, which only onboarding writes.
    static let onboardingName = "onboarding"
    /// The collection whose document may give the display name.
    static let profileName = "profile"

    /// The rules without a file.
    package static let standard = DocumentRules(collections: [], onboarding: nil)

    /// All collections: the built-in ones, then the operator's own, in the order of the file.
    package let collections: [CollectionRules]
    /// The sections of onboarding. Nil where the operator declares none.
    package let onboarding: OnboardingRules?
    /// What they require of every account.
    let required: RequiredDocuments

    /// The built-in collections, and those that the operator declares, which take precedence.
    init(collections declared: [CollectionRules], onboarding: OnboardingRules?) {
        let builtIn = Self.builtIn.map { name in
            declared.first { $0.name == name } ?? CollectionRules(name: name)
        }
        collections = builtIn + declared.filter { !Self.builtIn.contains($0.name) }
        self.onboarding = onboarding
        required = RequiredDocuments(collections, onboarding)
    }

    /// The rules of a collection. Nil for one that is neither built in nor declared.
    func collection(_ name: String) -> CollectionRules? {
        collections.first { $0.name == name }
    }
}

/// What an account needs to write to a collection (I-07).
package enum AccountNeed: String, CaseIterable, Sendable {
    /// Guests can write, too.
    case nothing
    /// A guest is refused with `auth/account-required`.
    case account
    /// The account's address must be verified; otherwise `auth/email-not-verified`.
    case verified
    /// The account must have accepted the current terms and privacy text, where the operator asks
    /// for it (setting `consent`); otherwise `auth/consent-required`. A guest can accept them, too.
    case consent
}

/// Who writes a document.
enum DocumentWriter: Sendable {
    /// The account's owner, in the name of a session.
    case owner
    /// The app's own backend. Operators call it the server, in the rules file and its violations:
    /// `server-only`.
    case backend
}
