import Addresses
import Contracts
package import Cryptography
import Logging
package import ServiceRuntime

/// The operator's settings for who may sign in.
package struct IdentitySettings: Settings {
    /// Base URL of links in mails: scheme, host and port, without a path.
    package var linkOrigin = "http://localhost:3000"
    /// Whether links in mails lead to the reader's own machine.
    package var hasLoopbackLinks: Bool { WebOrigin(site: linkOrigin)?.isLoopback == true }
    /// Lifetime of a verification link (Sources/SECURITY.md, Codes and links: 24 hours at most).
    package var verificationLife: Duration = .seconds(24 * 3_600)
    /// Lifetime of a link to set a new password.
    package var resetLife: Duration = .seconds(3_600)
    /// Lifetime of the link of a notice that disowns a sign-in. It opens nothing, so it may be
    /// longer than a day (Sources/SECURITY.md, Codes and links).
    package var notMeLife: Duration = .seconds(7 * 24 * 3_600)
    /// Which sign-ins owners are notified of (N-01).
    package var signInMail = SignInMailMode.new
    /// Whether the former name of `sign-in-mail` is used.
    private(set) var usesNewDeviceMail = false
    /// When owners are welcomed (N-01).
    package var welcomeMail = WelcomeMailMode.verified
    /// Whether the places of sign-ins are remembered, so that new ones are noticed (G-08).
    package var remembersPlaces = true
    /// By which channels owners are told of what happens to their accounts.
    package var notices = NoticeSettings()
    /// The same, with the numbers that texts may go to.
    package var ownerNotices: NoticeSettings {
        var notices = notices
        notices.phone = phone
        return notices
    }
    /// BCP 47 language tag for users who have not chosen a language.
    package var defaultLanguage = "en"
    /// Verification codes sent to phones.
    package var phone = PhoneSettings()
    /// Second factors.
    package var secondFactors = SecondFactorSettings()
    /// Passkeys.
    package var passkeys = PasskeySettings()
    /// Parameters of password hashing, and the number of concurrent hashes.
    package var passwordHashing = PasswordHashPool.Settings()
    /// Whether a sign-up reveals that an address already has an account.
    package var enumeration = EnumerationMode.friendly
    /// Whether an account can sign in before its address is verified (G-02).
    package var emailVerification = EmailVerificationMode.optional
    /// Whether people sign up and in with a password (G-36).
    package var passwordSignIn = WayMode.on
    /// Whether guests can come (G-36).
    package var guests = WayMode.on
    /// Which passwords are accepted (I-02).
    package var passwordPolicy = PasswordPolicy.document
    /// Leaked passwords, which are refused too (I-02).
    package var breachedPasswords = BreachedPasswordSettings()
    /// The rules for new passwords, in the order to show them.
    var passwordRules: [PasswordRule] {
        passwordPolicy.rules + (breachedPasswords.isOn ? [.breached] : [])
    }
    /// The app's name as users know it; it is rejected as a password. By default as `sender-name`,
    /// by which mails call the app: people take it for a password too.
    package var appName = "Postern"
    /// The sign-in providers.
    package var providers = ProvidersSettings()
    /// The credentials at Apple, for grants.
    package var apple = AppleSettings()
    /// The credentials at Google, for grants.
    package var google = GoogleSettings()
    /// Whether accounts must have a display name (G-01).
    package var displayName = DisplayNameMode.optional
    /// Consent to terms and privacy texts.
    package var consent = ConsentSettings()
    /// What newcomers may add to the store and the disk in a day.
    package var newcomers = NewcomerBytes(ofGuest: 1 << 20, ofAddress: 32 << 20)
    /// Applications that may read and write documents of any account.
    package var documentWriters: [String] = []
    /// Applications that may push messages to the devices of any account.
    package var pushSenders: [String] = []
    /// Applications that may create, change and delete any account.
    package var accountManagers: [String] = []
    /// All applications whose tokens identity verifies itself.
    package var backends: [String] {
        Set(documentWriters + pushSenders + accountManagers).sorted()
    }
    /// The origins of the web service: the audiences of application tokens. Photos' URLs begin with
    /// the first.
    var webOrigins = ["http://localhost:7480", "http://127.0.0.1:7480"]

    /// The defaults, for tests and embedding.
    package init() {}

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        readAccounts(&settings)
        readMails(&settings)
        phone = PhoneSettings(reading: &settings)
        secondFactors.read(from: &settings)
        passkeys = PasskeySettings(reading: &settings)
        notices = NoticeSettings(reading: &settings)
        readPasswordHashing(&settings)
        breachedPasswords = BreachedPasswordSettings(reading: &settings)
        providers = ProvidersSettings(reading: &settings)
        apple = AppleSettings(reading: &settings)
        google = GoogleSettings(reading: &settings)
        settings.choice(
            "display-name", &displayName,
            reason: "Whether an account without a display name has to complete its profile (G-01).")
        consent = ConsentSettings(reading: &settings)
        readNewcomers(&settings)
        readBackends(&settings)
        settings.require(
            apple.redirects.clients.isSubset(of: providers.clients(of: .apple)),
            ["apple-redirect-uris"], "apple-redirect-uris names an app that apple-audiences lacks")
        settings.require(
            google.redirects.clients.isSubset(of: providers.clients(of: .google)),
            ["google-redirect-uris"],
            "google-redirect-uris names an app that google-audiences lacks")
        settings.require(
            google.secrets.clients.isSubset(of: providers.clients(of: .google)),
            ["google-client-secrets"],
            "google-client-secrets names an app that google-audiences lacks")
    }

    private mutating func readAccounts(_ settings: inout SettingsReader) {
        settings.string(
            "link-origin", &linkOrigin, unit: "URL",
            reason: "Base URL of links in mails, never taken from a request; the app serves the "
                + "pages verify-email, change-email, reset-password, forgot-password, delete-account, "
                + "keep-account, keep-second-factors, not-me, your-data, parent and "
                + "security there.")
        settings.require(
            WebOrigin(site: linkOrigin) != nil, ["link-origin"],
            "it must be \(WebOrigin.expected)")
        settings.choice(
            "enumeration", &enumeration,
            reason: "Whether a sign-up reveals that an address has an account (X-02).")
        settings.choice(
            "email-verification", &emailVerification,
            reason: "Whether an address must be verified before its account can sign in (G-02).")
        settings.choice(
            "password-sign-in", &passwordSignIn,
            reason: "off: no password opens an account, and none can be set; accounts that have "
                + "nothing else are listed by: postern accounts orphans (G-36).")
        settings.choice(
            "guests", &guests,
            reason: "off: no one begins as a guest; guests that exist stay (G-36).")
        settings.choice(
            "password-policy", &passwordPolicy,
            reason: "Which passwords are accepted; common ones are always rejected (I-02).")
        settings.string(
            "app-name", &appName, unit: "text",
            reason: "The app's name as users know it: it heads the pages of mails, and a password "
                + "made from it is rejected (I-02).")
    }

    private mutating func readMails(_ settings: inout SettingsReader) {
        settings.duration(
            "verification-life", &verificationLife, in: .seconds(300)...(.seconds(24 * 3_600)),
            reason: "A verification link works for this long (I-06).")
        settings.duration(
            "reset-life", &resetLife, in: .seconds(300)...(.seconds(24 * 3_600)),
            reason: "A link to set a new password works for this long (G-11).")
        settings.duration(
            "not-me-life", &notMeLife, in: .seconds(3_600)...(.seconds(30 * 24 * 3_600)),
            reason: "The link of a mail about a sign-in that was not the reader's works for this "
                + "long (N-01).")
        settings.string(
            "default-language", &defaultLanguage, unit: "language tag",
            reason: "Language of mails to users who have not chosen one.")
        settings.require(
            LanguageTag.isValid(defaultLanguage), ["default-language"],
            "it must be a language tag, for example en or pt-BR")
        readSignInMails(&settings)
    }

    private mutating func readSignInMails(_ settings: inout SettingsReader) {
        var tellsNewDevices = true
        settings.boolean(
            "new-device-mail", &tellsNewDevices,
            reason: "Former name of sign-in-mail, for this release: false is never, true is new.")
        usesNewDeviceMail = settings.isGiven("new-device-mail")
        if !tellsNewDevices { signInMail = .never }
        settings.choice(
            "sign-in-mail", &signInMail,
            reason: "Of which sign-ins owners are notified: never, of those from a new device or "
                + "place, or always (N-01).")
        settings.choice(
            "welcome-mail", &welcomeMail,
            reason: "When owners are welcomed: once their address is verified, at the sign-up, "
                + "when profile and onboarding are complete, or never (N-01).")
        settings.boolean(
            "sign-in-places", &remembersPlaces,
            reason: "Remember where accounts are signed in from, to notice new places (G-08).")
    }

    private mutating func readPasswordHashing(_ settings: inout SettingsReader) {
        let standard = passwordHashing
        var threads = standard.threads
        settings.integer(
            "password-hash-threads", &threads, in: 1...64, unit: "threads",
            reason: "Passwords hashed concurrently; each occupies a core.")
        var waiting = standard.waitingMax
        settings.integer(
            "password-hash-waiting", &waiting, in: 0...65_536, unit: "passwords",
            reason: "Passwords that may wait for a thread; above it calls fail and may be retried.")
        var memory = standard.parameters.memoryKiB
        settings.integer(
            "password-hash-memory", &memory, in: standard.parameters.memoryKiB...65_536,
            unit: "KiB",
            reason: "Memory of each hash; the minimum that OWASP recommends is 19 MiB.")
        var passes = standard.parameters.passes
        settings.integer(
            "password-hash-passes", &passes, in: standard.parameters.passes...16, unit: "passes",
            reason: "Argon2 iterations: passes over the memory.")
        passwordHashing = PasswordHashPool.Settings(
            threads: threads, waitingMax: waiting,
            parameters: Argon2Parameters(memoryKiB: memory, passes: passes, lanes: 1))
    }

    private mutating func readNewcomers(_ settings: inout SettingsReader) {
        settings.integer(
            "guest-bytes-a-day", &newcomers.ofGuest, in: (64 << 10)...(1 << 40), unit: "bytes",
            reason: "What a guest may add to the disk in a day (UTC): documents, a photo, an "
                + "export, rows of the audit trail (I-07).")
        settings.integer(
            "newcomer-bytes-a-day", &newcomers.ofAddress, in: (1 << 20)...(1 << 40), unit: "bytes",
            reason: "The same for all guests, and all accounts in their first day, at one "
                + "address; IPv6 by /48 (I-07).")
    }

    private mutating func readBackends(_ settings: inout SettingsReader) {
        settings.strings(
            "document-writers", &documentWriters, unit: "applications",
            reason: "Backends that may read and write documents of any account, with a token for "
                + "each call (I-07).")
        // They carry these tokens. With a key of their own they could make them.
        settings.require(
            Set(documentWriters).isDisjoint(with: ["gateway", "web", "tool"]),
            ["document-writers"], "gateway, web and tool cannot be document writers")
        settings.strings(
            "push-senders", &pushSenders, unit: "applications",
            reason: "Backends that may push messages to the devices of any account, with a token "
                + "for each call (N-02).")
        settings.require(
            Set(pushSenders).isDisjoint(with: ["gateway", "web", "tool"]),
            ["push-senders"], "gateway, web and tool cannot be push senders")
        settings.strings(
            "account-managers", &accountManagers, unit: "applications",
            reason: "Backends that may create, change and delete any account, give it roles, and "
                + "make links to it, with a token for each call (I-10).")
        settings.require(
            Set(accountManagers).isDisjoint(with: ["gateway", "web", "tool"]),
            ["account-managers"], "gateway, web and tool cannot be account managers")
        settings.strings(
            "web-origins", &webOrigins, unit: "URL",
            reason: "Where clients reach the web service, as the gateway's setting. Photos' URLs "
                + "begin with the first, and a token of a document writer, push sender or account "
                + "manager must name one of them as its audience.")
        settings.require(
            webOrigins.allSatisfy { WebOrigin(site: $0) != nil }, ["web-origins"],
            "each must be \(WebOrigin.expected)")
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

extension IdentitySettings {
    /// Which sign-ins owners are notified of (`SignInMailRule`).
    package enum SignInMailMode: String, CaseIterable, Sendable {
        /// None.
        case never
        /// Those from a new device or a new place.
        case new
        /// All.
        case always
    }

    /// When owners are welcomed (`WelcomeRule`).
    package enum WelcomeMailMode: String, CaseIterable, Sendable {
        /// When their address is verified for the first time.
        case verified
        /// At the sign-up. The words of the verification mail welcome those whose address is not
        /// verified.
        case signUp = "sign-up"
        /// When profile and onboarding are complete for the first time (`ProfileCompletion`).
        case profile
        /// Never.
        case never
    }

    /// Warns of a former name that is in use.
    func warnOfFormerNames(_ logger: Logger) {
        guard usesNewDeviceMail else { return }
        logger.warning(
            "identity.new_device_mail.former",
            "new-device-mail works for this release only; sign-in-mail replaces it",
            fields: [.setting: .text("new-device-mail")])
    }
}
