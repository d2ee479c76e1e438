import Addresses
import Contracts
import Cryptography
import IdentityService
import Messages
import ServiceRuntime

/// A validated record of another system. A value that would not be accepted from a user is
/// rejected, or left out if the account is valid without it.
struct ImportCandidate: Sendable {
    /// Clocks of other systems may be ahead.
    private static let aheadMax: Duration = .seconds(24 * 3_600)

    let imported: ImportedID
    let address: EmailAddress?
    let isAddressProved: Bool
    let password: StoredPassword?
    let displayName: String
    let photoURL: String
    let language: String
    let phone: PhoneNumber?
    let identities: [ProvedIdentity]
    let apps: [AuthenticatorApp]
    let passkeys: [ImportedPasskey]
    let status: AccountStatus
    let createdAt: Timestamp
    let lastSignInAt: Timestamp?
    let isOnboarded: Bool
    /// What the person has agreed to, in any versions.
    let acceptance: Acceptance
    /// Its roles and custom claims.
    let claims: AccountClaims
    /// Fields that were left out or truncated.
    let altered: [String]

    /// The parameters of the request that apply to each record.
    struct Terms: Sendable {
        let source: String
        let isEmailTrusted: Bool
        let defaultLanguage: String
        let takenAt: Timestamp
        let passkeys: PasskeySettings
    }

    /// Validates a record.
    /// - Throws: `ImportRule.Refusal` for the first invalid field.
    init(_ record: IdentityV1.AccountRecord, _ terms: Terms) throws(ImportRule.Refusal) {
        var altered: [String] = []
        imported = try Self.imported(record, terms)
        address = try Self.address(record)
        isAddressProved = address != nil && record.emailVerified && terms.isEmailTrusted
        password = try Self.password(record)
        phone = try ImportCandidate.Identities.phone(record)
        identities = try ImportCandidate.Identities.all(record)
        guard address != nil || phone != nil || !identities.isEmpty else {
            throw ImportRule.Refusal(
                code: .invalidArgument, field: "email", reason: "nothing-to-sign-in-by")
        }
        displayName = Self.displayName(record.displayName)
        if displayName != record.displayName { altered.append("display_name") }
        photoURL = ShownProfile.isPhoto(record.photoUrl) ? record.photoUrl : ""
        if photoURL != record.photoUrl { altered.append("photo_url") }
        language = LanguageTag.isValid(record.language) ? record.language : terms.defaultLanguage
        if !record.language.isEmpty, language != record.language { altered.append("language") }
        status = record.disabled ? .suspended : .active
        let created = Self.moment(record.createdAtMs, terms.takenAt)
        if created == nil, record.createdAtMs != 0 { altered.append("created_at_ms") }
        createdAt = created ?? terms.takenAt
        lastSignInAt = Self.moment(record.lastSignInAtMs, terms.takenAt)
        if lastSignInAt == nil, record.lastSignInAtMs != 0 { altered.append("last_sign_in_at_ms") }
        isOnboarded = record.onboardingComplete
        acceptance = Self.acceptance(record, &altered)
        apps = record.secondFactors.prefix(SecondFactorRow.factorsMax).compactMap(Self.app)
        if apps.map(\.name) != record.secondFactors.map(\.name) { altered.append("second_factors") }
        passkeys = record.passkeys.prefix(PasskeyRow.countMax).compactMap {
            ImportedPasskey($0, terms.passkeys, until: terms.takenAt)
        }
        if passkeys.count != record.passkeys.count { altered.append("passkeys") }
        claims = try Self.claims(record, &altered)
        self.altered = altered
    }

    /// An authenticator app; nil for one that would show other codes than ours, which is lost. Its
    /// owner sets it up again: an account that cannot be signed in to would help nobody.
    private static func app(_ record: IdentityV1.SecondFactorRecord) -> AuthenticatorApp? {
        guard ["", "SHA1"].contains(record.algorithm),
            [0, UInt32(TOTP.digits)].contains(record.digits),
            [0, UInt32(TOTP.stepMilliseconds / 1_000)].contains(record.periodSeconds),
            var secret = Base32.decodeLeniently(record.totpSecret),
            AuthenticatorApp.secretBytes.contains(secret.count)
        else { return nil }
        let name = displayName(record.name)
        return AuthenticatorApp(
            secret: SecretBytes(taking: &secret),
            name: name.utf8.count <= AuthenticatorApp.nameBytesMax ? name : "")
    }

    private static func acceptance(
        _ record: IdentityV1.AccountRecord, _ altered: inout [String]
    ) -> Acceptance {
        func version(_ text: String, _ name: String) -> String {
            if text.isEmpty || ConsentSettings.isVersion(text) { return text }
            altered.append(name)
            return ""
        }
        return Acceptance(
            GatewayV1.Acceptance(
                termsVersion: version(record.termsVersion, "terms_version"),
                privacyVersion: version(record.privacyVersion, "privacy_version"),
                marketing: record.marketing, analytics: record.analytics))
    }

    private static func imported(
        _ record: IdentityV1.AccountRecord, _ terms: Terms
    ) throws(ImportRule.Refusal) -> ImportedID {
        let source = record.source.isEmpty ? terms.source : record.source
        guard let imported = ImportedID(source: source, id: record.externalId) else {
            throw ImportRule.Refusal(code: .invalidArgument, field: "external_id")
        }
        return imported
    }

    private static func address(
        _ record: IdentityV1.AccountRecord
    ) throws(ImportRule.Refusal) -> EmailAddress? {
        guard !record.email.isEmpty else { return nil }
        guard let address = EmailAddress(record.email) else {
            throw ImportRule.Refusal(code: .invalidEmail, field: "email")
        }
        return address
    }

    private static func password(
        _ record: IdentityV1.AccountRecord
    ) throws(ImportRule.Refusal) -> StoredPassword? {
        guard !record.passwordHash.isEmpty else { return nil }
        do {
            return try StoredPassword(text: record.passwordHash)
        } catch {
            throw ImportRule.Refusal(
                code: .invalidArgument, field: "password_hash", reason: error.rawValue)
        }
    }

    /// Removes characters that are not allowed in a display name, and truncates it. A blank one is
    /// left out.
    private static func displayName(_ name: String) -> String {
        guard !Applicant.isDisplayName(name) else { return name }
        var accepted = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where Applicant.mayBeInDisplayName(scalar) {
            accepted.append(scalar)
            if accepted.count == Applicant.displayNameMax { break }
        }
        return Applicant.isBlank(String(accepted)) ? "" : String(accepted)
    }

    private static func moment(_ milliseconds: Int64, _ now: Timestamp) -> Timestamp? {
        guard milliseconds > 0, milliseconds <= (now + aheadMax).milliseconds else { return nil }
        return min(Timestamp(milliseconds: milliseconds), now)
    }

    /// Rejected if malformed or too long: truncated claims could change a user's permissions. Names
    /// that a token has already never had a meaning, or another.
    private static func claims(
        _ record: IdentityV1.AccountRecord, _ altered: inout [String]
    ) throws(ImportRule.Refusal) -> AccountClaims {
        guard AccountClaims.imported(roles: record.roles, json: "") != nil else {
            throw ImportRule.Refusal(code: .invalidArgument, field: "roles")
        }
        guard
            let imported = AccountClaims.imported(roles: record.roles, json: record.customClaims)
        else { throw ImportRule.Refusal(code: .invalidArgument, field: "custom_claims") }
        if imported.leftOut > 0 { altered.append("custom_claims") }
        return imported.claims
    }
}

extension ImportCandidate {
    /// Reads the identities of a record into the form that a token or a code would have proved.
    enum Identities {
        /// Providers that one account can be linked to; Firebase supports about ten.
        private static let countMax = 16
        private static let methodBytes = 1...32
        /// OpenID Connect Core §2: a subject has at most 255 bytes; issuers are URLs of that
        /// length.
        private static let nameBytes = 1...255

        /// - Throws: `ImportRule.Refusal` if an identity is malformed, there are too many, or two
        ///   have the same provider.
        static func all(
            _ record: IdentityV1.AccountRecord
        ) throws(ImportRule.Refusal) -> [ProvedIdentity] {
            guard record.identities.count <= countMax else { throw refusal("too-many") }
            var methods: Set<String> = []
            // A duplicate subject would violate the store's unique index, and every import of the
            // file would fail there.
            var subjects: Set<[String]> = []
            var identities: [ProvedIdentity] = []
            for identity in record.identities {
                guard methods.insert(identity.method).inserted else {
                    throw refusal("two-of-one-method")
                }
                guard identity.issuer != PhoneIdentity.issuer,
                    subjects.insert([identity.issuer, identity.subject]).inserted
                else { throw refusal("two-of-one-subject") }
                identities.append(try read(identity))
            }
            return identities
        }

        private static func read(
            _ identity: IdentityV1.ProviderIdentity
        ) throws(ImportRule.Refusal) -> ProvedIdentity {
            guard isMethod(identity.method) else { throw refusal("method") }
            guard nameBytes.contains(identity.issuer.utf8.count),
                nameBytes.contains(identity.subject.utf8.count)
            else { throw refusal("subject") }
            guard let issuer = BuiltInProvider.issuer(identity.issuer, of: identity.method) else {
                throw refusal("issuer")
            }
            // A verification by another system proves nothing here; the identity is its issuer and
            // subject.
            let email = EmailAddress(identity.email).map { address in
                ProvedIdentity.Email(
                    address: address, isVerified: false,
                    isRelay: identity.method == BuiltInProvider.apple.rawValue
                        && ProviderClaims.isAppleRelay(address)
                )
            }
            return ProvedIdentity(
                method: .provider(identity.method), issuer: issuer, subject: identity.subject,
                email: email, displayName: String(identity.displayName.prefix(200)))
        }

        /// The phone number; nil for none. It is one that the owner can sign in with, in E.164: in
        /// another spelling, it may be a national number of an unknown country.
        /// - Throws: `ImportRule.Refusal` with `auth/invalid-phone-number`, and the rule that the
        ///   number breaks.
        static func phone(
            _ record: IdentityV1.AccountRecord
        ) throws(ImportRule.Refusal) -> PhoneNumber? {
            guard !record.phoneNumber.isEmpty else { return nil }
            var rule = ""
            do {
                let number = try PhoneNumber.required(record.phoneNumber)
                if number.text == record.phoneNumber { return number }
            } catch {
                rule = error.violations.first?.rule ?? ""
            }
            throw ImportRule.Refusal(
                code: .invalidPhoneNumber, field: "phone_number", reason: rule)
        }

        /// Whether `method` can be a provider's name.
        private static func isMethod(_ method: String) -> Bool {
            method.isName(methodBytes, [.lower, .digit], marks: "-.")
                && !SignInMethod.reservedNames.contains(method)
        }

        private static func refusal(_ reason: String) -> ImportRule.Refusal {
            ImportRule.Refusal(code: .invalidArgument, field: "identities", reason: reason)
        }
    }
}
