package import Cryptography
package import ServiceRuntime

/// What an operator can choose for identity.
package struct IdentitySettings: Settings {
    /// Where links in mails lead: scheme, host and port, without a path.
    package let linkOrigin: String
    /// How long a verification link works (Sources/SECURITY.md, Codes and links: 24 hours at most).
    package let verificationLife: Duration
    /// How long a link to set a new password works.
    package let resetLife: Duration
    /// Whether owners are mailed of a sign-in from a device that is new to their account (N-01).
    package let tellsNewDevices: Bool
    /// Who may look accounts up and stop them besides the operator's tool (I-09).
    package let accountAdmins: [String]
    /// BCP 47; for who has not chosen one.
    package let defaultLanguage: String
    /// Codes to phones.
    package let phone: PhoneSettings
    /// How passwords are hashed, and how many at once.
    package let passwordHashing: PasswordHashPool.Settings
    /// What a sign-up tells of an address that has an account.
    package let enumeration: EnumerationMode
    /// Whether an account can be signed in to before its address is verified (G-02).
    package let emailVerification: EmailVerificationMode
    /// Which passwords are taken (I-02).
    package let passwordPolicy: PasswordPolicy
    /// What people know the app by, which is no password for it; may be empty.
    package let appName: String

    /// Settings, for tests and embedding.
    package init(
        linkOrigin: String, verificationLife: Duration, resetLife: Duration = .seconds(3_600),
        defaultLanguage: String, tellsNewDevices: Bool = true, accountAdmins: [String] = [],
        phone: PhoneSettings = PhoneSettings(),
        passwordHashing: PasswordHashPool.Settings, enumeration: EnumerationMode = .friendly,
        emailVerification: EmailVerificationMode = .optional,
        passwordPolicy: PasswordPolicy = .document, appName: String = ""
    ) {
        self.phone = phone
        self.enumeration = enumeration
        self.emailVerification = emailVerification
        self.passwordPolicy = passwordPolicy
        self.appName = appName
        self.linkOrigin = linkOrigin
        self.verificationLife = verificationLife
        self.resetLife = resetLife
        self.defaultLanguage = defaultLanguage
        self.tellsNewDevices = tellsNewDevices
        self.accountAdmins = accountAdmins
        self.passwordHashing = passwordHashing
    }

    /// Declares every setting and takes its value.
    package init(reading settings: inout SettingsReader) {
        linkOrigin = settings.string(
            "link-origin", default: "http://localhost:3000", unit: "URL",
            reason: "Links in mails begin with it, never from a request; the app has the pages "
                + "verify-email, change-email, reset-password and forgot-password there.")
        settings.require(
            LinkOrigin.isOrigin(linkOrigin), ["link-origin"],
            "it is http or https, a host and perhaps a port, without a path")
        enumeration = settings.choice(
            "enumeration", default: EnumerationMode.friendly,
            reason: "What a sign-up tells of an address that has an account (X-02).")
        emailVerification = settings.choice(
            "email-verification", default: EmailVerificationMode.optional,
            reason: "Whether an address must be verified before its account is signed in to (G-02)."
        )
        passwordPolicy = settings.choice(
            "password-policy", default: PasswordPolicy.document,
            reason: "Which passwords are taken, beside those that are common (I-02).")
        appName = settings.string(
            "app-name", default: "", unit: "text",
            reason: "What people know the app by; a password that is made of it is refused (I-02).")
        verificationLife = settings.duration(
            "verification-life", default: .seconds(24 * 3_600),
            in: .seconds(300)...(.seconds(24 * 3_600)),
            reason: "A verification link works for this long (I-06).")
        resetLife = settings.duration(
            "reset-life", default: .seconds(3_600), in: .seconds(300)...(.seconds(24 * 3_600)),
            reason: "A link to set a new password works for this long (G-11).")
        defaultLanguage = settings.string(
            "default-language", default: "en", unit: "language tag",
            reason: "The language of mails to who has not chosen one.")
        settings.require(
            Applicant.isLanguage(defaultLanguage), ["default-language"],
            "it is a language tag such as en or pt-BR")
        tellsNewDevices = settings.boolean(
            "new-device-mail", default: true,
            reason: "Owners are mailed of a sign-in from a new device, at a proved address (N-01).")
        accountAdmins = settings.strings(
            "account-admins", default: [], unit: "applications",
            reason: "Who may look up and stop accounts besides the tool: gateway, or nobody (I-09)."
        )
        phone = PhoneSettings(reading: &settings)
        passwordHashing = Self.passwordHashing(&settings)
    }

    private static func passwordHashing(
        _ settings: inout SettingsReader
    ) -> PasswordHashPool.Settings {
        let standard = PasswordHashPool.Settings()
        let threads = settings.integer(
            "password-hash-threads", default: standard.threads, in: 1...64, unit: "threads",
            reason: "Passwords hashed at once; each takes a core.")
        let waiting = settings.integer(
            "password-hash-waiting", default: standard.waitingMax, in: 0...65_536,
            unit: "passwords",
            reason: "Passwords that may wait; more are told to come back.")
        let memory = settings.integer(
            "password-hash-memory", default: standard.parameters.memoryKiB,
            in: standard.parameters.memoryKiB...65_536, unit: "KiB",
            reason: "Memory of a hash; 19 MiB is the least that OWASP advises.")
        let passes = settings.integer(
            "password-hash-passes", default: standard.parameters.passes,
            in: standard.parameters.passes...16, unit: "passes",
            reason: "Passes of a hash over its memory.")
        return PasswordHashPool.Settings(
            threads: threads, waitingMax: waiting,
            parameters: Argon2Parameters(memoryKiB: memory, passes: passes, lanes: 1))
    }
}

/// What a sign-up tells of a taken address (Sources/SECURITY.md, Enumeration).
package enum EnumerationMode: String, CaseIterable, Sendable {
    /// That it is taken; the owner gets a mail (`Registration`).
    case friendly
    /// Nothing (`StrictRegistration`).
    case strict
}

/// Whether an account can be signed in to before its address is verified (G-02; D3 FR-005, D2).
package enum EmailVerificationMode: String, CaseIterable, Sendable {
    /// It can; the mail reminds.
    case optional
    /// It cannot: a sign-up opens no session, and a sign-in answers `auth/email-not-verified` to
    /// who has the password. Accounts from before the setting was changed stay as they are.
    case required
}
