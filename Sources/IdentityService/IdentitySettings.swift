import Addresses
package import Cryptography
package import ServiceRuntime

/// The operator's settings for the identity service.
package struct IdentitySettings: Settings {
    /// Base URL of links in mails: scheme, host and port, without a path.
    package let linkOrigin: String
    /// Whether links in mails lead to the reader's own machine.
    package var hasLoopbackLinks: Bool { WebOrigin(site: linkOrigin)?.isLoopback == true }
    /// Lifetime of a verification link (Sources/SECURITY.md, Codes and links: 24 hours at most).
    package let verificationLife: Duration
    /// Lifetime of a link to set a new password.
    package let resetLife: Duration
    /// Whether owners get a mail about a sign-in from a device that is new to their account (N-01).
    package let tellsNewDevices: Bool
    /// Applications that may look accounts up and suspend them, besides the operator's tool (I-09).
    package let accountAdmins: [String]
    /// BCP 47 language tag for users who have not chosen a language.
    package let defaultLanguage: String
    /// Verification codes sent to phones.
    package let phone: PhoneSettings
    /// Parameters of password hashing, and the number of concurrent hashes.
    package let passwordHashing: PasswordHashPool.Settings
    /// Whether a sign-up reveals that an address already has an account.
    package let enumeration: EnumerationMode
    /// Whether an account can sign in before its address is verified (G-02).
    package let emailVerification: EmailVerificationMode
    /// Which passwords are accepted (I-02).
    package let passwordPolicy: PasswordPolicy
    /// Who may download photos (G-17).
    package let photos: PhotoAccess
    /// The longest photo of a guest, in bytes; 0 for none.
    package let guestPhotoBytesMax: Int
    /// The app's name as users know it; it is rejected as a password. May be empty.
    package let appName: String
    /// The sign-in providers.
    package let providers: ProvidersSettings
    /// The credentials at Apple, for grants.
    package let apple: AppleSettings
    /// Documents of accounts.
    package let documents: DocumentSettings
    /// Whether accounts must have a display name (G-01).
    package let displayName: DisplayNameMode
    /// The rules of documents and onboarding.
    package let rules: RulesSettings
    /// Consent to terms and privacy texts.
    package let consent: ConsentSettings
    /// What happens to a guest's documents when the guest signs in to an account.
    package let guestData: GuestDataMode
    /// The deletion of accounts.
    package let deletion: DeletionSettings
    /// How long the ids that accounts had in another system are kept.
    package let importedIDRetention: Duration
    /// The folders of tombstones; empty for the one in the data folder.
    package let tombstones: [String]
    /// How long tombstones are kept; nil for ever.
    package let tombstonesKept: Duration?
    /// How long a guest is kept after its last use (I-04); nil for ever.
    package let guestKept: Duration?

    /// Settings for tests and embedding.
    package init(
        linkOrigin: String, verificationLife: Duration, resetLife: Duration = .seconds(3_600),
        defaultLanguage: String, tellsNewDevices: Bool = true, accountAdmins: [String] = [],
        phone: PhoneSettings = PhoneSettings(),
        passwordHashing: PasswordHashPool.Settings, enumeration: EnumerationMode = .friendly,
        emailVerification: EmailVerificationMode = .optional,
        passwordPolicy: PasswordPolicy = .document, appName: String = "",
        photos: PhotoAccess = .owner, guestPhotoBytesMax: Int = guestPhotoBytesDefault,
        providers: ProvidersSettings = ProvidersSettings(providers: []),
        apple: AppleSettings = .none, documents: DocumentSettings = DocumentSettings(),
        displayName: DisplayNameMode = .optional,
        rules: RulesSettings = .none, consent: ConsentSettings = ConsentSettings(),
        guestData: GuestDataMode = .discard,
        deletion: DeletionSettings = DeletionSettings(),
        importedIDRetention: Duration = .seconds(3_660 * 86_400), tombstones: [String] = [],
        tombstonesKept: Duration? = tombstonesKeptDefault,
        guestKept: Duration? = guestKeptDefault
    ) {
        self.phone = phone
        self.enumeration = enumeration
        self.emailVerification = emailVerification
        self.passwordPolicy = passwordPolicy
        self.appName = appName
        self.photos = photos
        self.guestPhotoBytesMax = guestPhotoBytesMax
        self.providers = providers
        self.apple = apple
        self.documents = documents
        self.displayName = displayName
        self.rules = rules
        self.consent = consent
        self.guestData = guestData
        self.deletion = deletion
        self.importedIDRetention = importedIDRetention
        self.tombstones = tombstones
        self.tombstonesKept = tombstonesKept
        self.guestKept = guestKept
        self.linkOrigin = linkOrigin
        self.verificationLife = verificationLife
        self.resetLife = resetLife
        self.defaultLanguage = defaultLanguage
        self.tellsNewDevices = tellsNewDevices
        self.accountAdmins = accountAdmins
        self.passwordHashing = passwordHashing
    }

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        linkOrigin = settings.string(
            "link-origin", default: "http://localhost:3000", unit: "URL",
            reason: "Base URL of links in mails, never taken from a request; the app serves the "
                + "pages verify-email, change-email, reset-password, forgot-password, delete-account, "
                + "keep-account, your-data and parent there.")
        settings.require(
            WebOrigin(site: linkOrigin) != nil, ["link-origin"],
            "it must be \(WebOrigin.expected)")
        enumeration = settings.choice(
            "enumeration", default: EnumerationMode.friendly,
            reason: "Whether a sign-up reveals that an address has an account (X-02).")
        emailVerification = settings.choice(
            "email-verification", default: EmailVerificationMode.optional,
            reason: "Whether an address must be verified before its account can sign in (G-02).")
        passwordPolicy = settings.choice(
            "password-policy", default: PasswordPolicy.document,
            reason: "Which passwords are accepted; common ones are always rejected (I-02).")
        appName = settings.string(
            // As `sender-name`, by which mails call the app: people take it for a password too.
            "app-name", default: "Postern", unit: "text",
            reason: "The app's name as users know it; a password made from it is rejected (I-02).")
        photos = settings.choice(
            "photos", default: PhotoAccess.owner,
            reason: "Who may download a photo: its owner, or anyone who knows its name (G-17).")
        guestPhotoBytesMax = settings.integer(
            "guest-photo-bytes-max", default: Self.guestPhotoBytesDefault,
            in: 0...CleanedPhoto.bytesMax, unit: "bytes",
            reason: "The longest photo of a guest, which anybody can create; 0 for none (G-17).")
        verificationLife = settings.duration(
            "verification-life", default: .seconds(24 * 3_600),
            in: .seconds(300)...(.seconds(24 * 3_600)),
            reason: "A verification link works for this long (I-06).")
        resetLife = settings.duration(
            "reset-life", default: .seconds(3_600), in: .seconds(300)...(.seconds(24 * 3_600)),
            reason: "A link to set a new password works for this long (G-11).")
        defaultLanguage = settings.string(
            "default-language", default: "en", unit: "language tag",
            reason: "Language of mails to users who have not chosen one.")
        settings.require(
            LanguageTag.isValid(defaultLanguage), ["default-language"],
            "it must be a language tag, for example en or pt-BR")
        tellsNewDevices = settings.boolean(
            "new-device-mail", default: true,
            reason: "Mail owners about sign-ins from new devices, at verified addresses (N-01).")
        accountAdmins = settings.strings(
            "account-admins", default: [], unit: "applications",
            reason: "Who may look up and suspend accounts besides the tool: gateway or none (I-09)."
        )
        settings.require(
            accountAdmins.allSatisfy { $0 == "gateway" }, ["account-admins"],
            "only gateway may be named; its callers-file says which applications it admits")
        phone = PhoneSettings(reading: &settings)
        passwordHashing = Self.passwordHashing(&settings)
        providers = ProvidersSettings(reading: &settings)
        apple = AppleSettings(reading: &settings)
        documents = DocumentSettings(reading: &settings)
        displayName = settings.choice(
            "display-name", default: DisplayNameMode.optional,
            reason: "Whether an account without a display name has to complete its profile (G-01).")
        rules = RulesSettings(reading: &settings)
        consent = ConsentSettings(reading: &settings)
        guestData = settings.choice(
            "guest-data", default: GuestDataMode.discard,
            reason: "What happens to a guest's documents when it signs in to an account (G-16).")
        deletion = DeletionSettings(reading: &settings)
        importedIDRetention = settings.duration(
            "imported-ids-kept", default: .seconds(3_660 * 86_400),
            in: .seconds(86_400)...(.seconds(3_660 * 86_400)),
            reason: "How long after its import an account can be found by its id in the other "
                + "system (I-08).")
        tombstones = settings.strings(
            "tombstones", default: [], unit: "path",
            reason: "Folders, best on other disks, that list deleted accounts, so that a restored "
                + "backup deletes them again; none: tombstones in the data folder (G-20).")
        tombstonesKept = settings.durationOrForever(
            "tombstones-kept", default: Self.tombstonesKeptDefault,
            in: .seconds(30 * 86_400)...(.seconds(3_660 * 86_400)),
            reason:
                "How long a deleted account is listed there: longer than the oldest backup that "
                + "may be restored, since an older one brings deleted accounts back (G-20).")
        guestKept = settings.durationOrForever(
            "guest-kept", default: Self.guestKeptDefault,
            in: .seconds(86_400)...(.seconds(3_650 * 86_400)),
            reason: "A guest without a session is deleted this long after its last use, no matter "
                + "when its session ended, and not before this long after the upgrade that "
                + "introduced the rule (I-04).")
        settings.require(
            apple.redirects.clients.isSubset(of: providers.appleClients),
            ["apple-redirect-uris"], "apple-redirect-uris names an app that apple-audiences lacks")
    }

    /// The default of `guest-photo-bytes-max`.
    package static let guestPhotoBytesDefault = 256 << 10

    /// The default of `tombstones-kept`: two years, as of the audit trail.
    package static let tombstonesKeptDefault: Duration = .seconds(730 * 86_400)

    /// The default of `guest-kept`.
    package static let guestKeptDefault: Duration = .seconds(180 * 86_400)

    private static func passwordHashing(
        _ settings: inout SettingsReader
    ) -> PasswordHashPool.Settings {
        let standard = PasswordHashPool.Settings()
        let threads = settings.integer(
            "password-hash-threads", default: standard.threads, in: 1...64, unit: "threads",
            reason: "Passwords hashed concurrently; each occupies a core.")
        let waiting = settings.integer(
            "password-hash-waiting", default: standard.waitingMax, in: 0...65_536,
            unit: "passwords",
            reason: "Passwords that may wait for a thread; above it calls fail and may be retried.")
        let memory = settings.integer(
            "password-hash-memory", default: standard.parameters.memoryKiB,
            in: standard.parameters.memoryKiB...65_536, unit: "KiB",
            reason: "Memory of each hash; the minimum that OWASP recommends is 19 MiB.")
        let passes = settings.integer(
            "password-hash-passes", default: standard.parameters.passes,
            in: standard.parameters.passes...16, unit: "passes",
            reason: "Argon2 iterations: passes over the memory.")
        return PasswordHashPool.Settings(
            threads: threads, waitingMax: waiting,
            parameters: Argon2Parameters(memoryKiB: memory, passes: passes, lanes: 1))
    }
}

extension IdentitySettings {
    /// Whether a sign-up reveals that an address is taken (Sources/SECURITY.md, Enumeration).
    package enum EnumerationMode: String, CaseIterable, Sendable {
        /// It does; the owner gets a mail (`register`).
        case friendly
        /// It does not (`StrictRegistration`).
        case strict
    }
}

extension IdentitySettings {
    /// Whether an account can sign in before its address is verified (G-02; D3 FR-005, D2).
    package enum EmailVerificationMode: String, CaseIterable, Sendable {
        /// It can; the verification mail is a reminder.
        case optional
        /// It cannot. A sign-up opens no session, and a sign-in with the right password returns
        /// `auth/email-not-verified`. Accounts from before a change of this setting keep their
        /// status.
        case required
    }
}

extension IdentitySettings {
    /// Whether an account must have a display name (G-01).
    package enum DisplayNameMode: String, CaseIterable, Sendable {
        /// It need not.
        case optional
        /// An account without one, other than a guest's, has the required action "complete
        /// profile". Nothing is refused.
        case required
    }
}
