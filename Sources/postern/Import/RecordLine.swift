import Cryptography
import JSON
import Messages

/// An account as a line of JSON: what `postern import jsonl` reads and `postern export` writes.
///
///     {"external_id": "u1", "email": "ada@example.org", "email_verified": true,
///      "password_hash": "$2b$10$…", "display_name": "Ada", "photo_url": "https://…",
///      "phone_number": "+49…", "disabled": false, "created_at_ms": 1, "last_sign_in_at_ms": 1,
///      "language": "en", "custom_claims": {…}, "roles": ["…"], "source": "…",
///      "onboarding_complete": true,
///      "terms_version": "…", "privacy_version": "…", "marketing": true, "analytics": true,
///      "identities": [{"method": "google", "issuer": "https://accounts.google.com",
///                      "subject": "…", "email": "…", "display_name": "…"}],
///      "second_factors": [{"totp_secret": "JBSW…", "name": "…", "algorithm": "SHA1", "digits": 6,
///                          "period_seconds": 30}],
///      "passkeys": [{"credential_id": "…", "public_key": "…", "user_handle": "…",
///                    "sign_count": 1, "transports": ["internal"], "name": "…", "rp_id": "…",
///                    "backup_eligible": true, "backed_up": true, "added_at_ms": 1}],
///      "account_id": "acc_…"}
///     {"hash_parameters": {"parameters_id": 1, "signer_key": "…", "salt_separator": "…"}}
///
/// A member with another name is rejected: a misspelt `password_hash` would lose all passwords.
enum RecordLine {
    private static let depthMax = 20

    /// Parses the account of a line.
    static func read(_ bytes: [UInt8]) -> ReadRecord {
        guard bytes.count <= RecordReader.recordBytesMax,
            let object = JSONReader.object(in: bytes, depthMax: depthMax)
        else { return .noObject }
        if let parameters = object["hash_parameters"]?.object { return self.parameters(parameters) }
        var record = IdentityV1.AccountRecord()
        for member in object.members {
            guard set(member.name, member.value, &record) else {
                return .unreadable(object["external_id"]?.string ?? "", field: member.name)
            }
        }
        return .account(record)
    }

    /// Null is the same as an absent member.
    private static func set(
        _ name: String, _ value: JSONValue, _ record: inout IdentityV1.AccountRecord
    ) -> Bool {
        if value == .null { return true }
        switch (name, value) {
        case ("external_id", .string(let text)): record.externalId = text
        case ("account_id", .string): break
        case ("source", .string(let text)): record.source = text
        case ("email", .string(let text)): record.email = text
        case ("email_verified", .boolean(let truth)): record.emailVerified = truth
        case ("password_hash", .string(let text)): record.passwordHash = text
        case ("display_name", .string(let text)): record.displayName = text
        case ("photo_url", .string(let text)): record.photoUrl = text
        case ("phone_number", .string(let text)): record.phoneNumber = text
        case ("disabled", .boolean(let truth)): record.disabled = truth
        case ("created_at_ms", .integer(let number)): record.createdAtMs = number
        case ("last_sign_in_at_ms", .integer(let number)): record.lastSignInAtMs = number
        case ("language", .string(let text)): record.language = text
        case ("onboarding_complete", .boolean(let truth)): record.onboardingComplete = truth
        case ("terms_version", .string(let text)): record.termsVersion = text
        case ("privacy_version", .string(let text)): record.privacyVersion = text
        case ("marketing", .boolean(let truth)): record.marketing = truth
        case ("analytics", .boolean(let truth)): record.analytics = truth
        case ("custom_claims", .object(let claims)): record.customClaims = JSONWriter.text(claims)
        case ("roles", .array):
            record.roles = value.strings ?? []
            return value.strings != nil
        case ("identities", .array(let values)):
            let identities = values.compactMap { $0.object.flatMap(identity) }
            record.identities = identities
            return identities.count == values.count
        case ("second_factors", .array(let values)):
            let factors = values.compactMap { $0.object.flatMap(factor) }
            record.secondFactors = factors
            return factors.count == values.count
        case ("passkeys", .array(let values)):
            let passkeys = values.compactMap { $0.object.flatMap(passkey) }
            record.passkeys = passkeys
            return passkeys.count == values.count
        default: return false
        }
        return true
    }

    private static func identity(_ object: JSONObject) -> IdentityV1.ProviderIdentity? {
        var identity = IdentityV1.ProviderIdentity()
        for member in object.members {
            guard let text = member.value.string else { return nil }
            switch member.name {
            case "method": identity.method = text
            case "issuer": identity.issuer = text
            case "subject": identity.subject = text
            case "email": identity.email = text
            case "display_name": identity.displayName = text
            default: return nil
            }
        }
        return identity
    }

    private static func factor(_ object: JSONObject) -> IdentityV1.SecondFactorRecord? {
        var factor = IdentityV1.SecondFactorRecord()
        for member in object.members {
            switch (member.name, member.value) {
            case ("totp_secret", .string(let text)): factor.totpSecret = text
            case ("name", .string(let text)): factor.name = text
            case ("algorithm", .string(let text)): factor.algorithm = text
            case ("digits", .integer(let number)): factor.digits = UInt32(clamping: number)
            case ("period_seconds", .integer(let number)):
                factor.periodSeconds = UInt32(clamping: number)
            default: return nil
            }
        }
        return factor
    }

    private static func passkey(_ object: JSONObject) -> IdentityV1.PasskeyRecord? {
        var passkey = IdentityV1.PasskeyRecord()
        for member in object.members {
            switch (member.name, member.value) {
            case ("credential_id", .string(let text)): passkey.credentialId = text
            case ("public_key", .string(let text)): passkey.publicKey = text
            case ("user_handle", .string(let text)): passkey.userHandle = text
            case ("sign_count", .integer(let number)):
                passkey.signCount = UInt32(clamping: number)
            case ("transports", .array(let values)):
                passkey.transports = values.compactMap(\.string)
            case ("name", .string(let text)): passkey.name = text
            case ("rp_id", .string(let text)): passkey.rpId = text
            case ("backup_eligible", .boolean(let truth)): passkey.backupEligible = truth
            case ("backed_up", .boolean(let truth)): passkey.backedUp = truth
            case ("added_at_ms", .integer(let number)): passkey.addedAtMs = number
            default: return nil
            }
        }
        return passkey
    }

    private static func parameters(_ object: JSONObject) -> ReadRecord {
        guard let id = object["parameters_id"]?.integer,
            let key = object["signer_key"]?.string.flatMap({ Base64.decode($0.utf8) }),
            let separator = object["salt_separator"]?.string.flatMap({ Base64.decode($0.utf8) })
        else { return .unreadable(field: "hash_parameters") }
        return .parameters(
            IdentityV1.HashParameters(
                parametersId: id, signerKey: key, saltSeparator: separator))
    }

    /// The line of an account, without empty members.
    static func text(_ record: IdentityV1.AccountRecord) -> String {
        var object = JSONObject()
        func add(_ name: String, _ text: String) {
            if !text.isEmpty { _ = object.add(name, .string(text)) }
        }
        add("external_id", record.externalId)
        add("source", record.source)
        add("account_id", record.accountId)
        add("email", record.email)
        if !record.email.isEmpty {
            _ = object.add("email_verified", .boolean(record.emailVerified))
        }
        add("password_hash", record.passwordHash)
        add("display_name", record.displayName)
        add("photo_url", record.photoUrl)
        add("phone_number", record.phoneNumber)
        if record.disabled { _ = object.add("disabled", .boolean(true)) }
        _ = object.add("created_at_ms", .integer(record.createdAtMs))
        if record.lastSignInAtMs > 0 {
            _ = object.add("last_sign_in_at_ms", .integer(record.lastSignInAtMs))
        }
        add("language", record.language)
        let claims = JSONReader.object(in: Array(record.customClaims.utf8), depthMax: depthMax)
        if let claims { _ = object.add("custom_claims", .object(claims)) }
        if !record.roles.isEmpty {
            _ = object.add("roles", .array(record.roles.map { .string($0) }))
        }
        if record.onboardingComplete { _ = object.add("onboarding_complete", .boolean(true)) }
        add("terms_version", record.termsVersion)
        add("privacy_version", record.privacyVersion)
        if record.marketing { _ = object.add("marketing", .boolean(true)) }
        if record.analytics { _ = object.add("analytics", .boolean(true)) }
        if !record.identities.isEmpty {
            _ = object.add("identities", .array(record.identities.map { .object(members($0)) }))
        }
        if !record.secondFactors.isEmpty {
            let factors = record.secondFactors.map { JSONValue.object(members($0)) }
            _ = object.add("second_factors", .array(factors))
        }
        if !record.passkeys.isEmpty {
            let passkeys = record.passkeys.map { JSONValue.object(members($0)) }
            _ = object.add("passkeys", .array(passkeys))
        }
        return JSONWriter.text(object)
    }

    private static func members(_ identity: IdentityV1.ProviderIdentity) -> JSONObject {
        var object: JSONObject = [
            "method": .string(identity.method), "issuer": .string(identity.issuer),
            "subject": .string(identity.subject),
        ]
        if !identity.email.isEmpty { _ = object.add("email", .string(identity.email)) }
        if !identity.displayName.isEmpty {
            _ = object.add("display_name", .string(identity.displayName))
        }
        return object
    }

    private static func members(_ factor: IdentityV1.SecondFactorRecord) -> JSONObject {
        var object: JSONObject = ["totp_secret": .string(factor.totpSecret)]
        if !factor.name.isEmpty { _ = object.add("name", .string(factor.name)) }
        return object
    }

    private static func members(_ passkey: IdentityV1.PasskeyRecord) -> JSONObject {
        var object: JSONObject = [
            "credential_id": .string(passkey.credentialId),
            "public_key": .string(passkey.publicKey), "user_handle": .string(passkey.userHandle),
            "sign_count": .integer(Int64(passkey.signCount)),
        ]
        if !passkey.transports.isEmpty {
            _ = object.add("transports", .array(passkey.transports.map { .string($0) }))
        }
        if !passkey.name.isEmpty { _ = object.add("name", .string(passkey.name)) }
        if !passkey.rpId.isEmpty { _ = object.add("rp_id", .string(passkey.rpId)) }
        if passkey.backupEligible { _ = object.add("backup_eligible", .boolean(true)) }
        if passkey.backedUp { _ = object.add("backed_up", .boolean(true)) }
        if passkey.addedAtMs > 0 {
            _ = object.add("added_at_ms", .integer(passkey.addedAtMs))
        }
        return object
    }

    /// The line of hash parameters.
    static func text(_ parameters: IdentityV1.HashParameters) -> String {
        JSONWriter.text([
            "hash_parameters": .object([
                "parameters_id": .integer(parameters.parametersId),
                "signer_key": .string(Base64.encode(parameters.signerKey)),
                "salt_separator": .string(Base64.encode(parameters.saltSeparator)),
            ])
        ])
    }
}
