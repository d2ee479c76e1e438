import ArgumentParser
import JSON
import Messages
import ServiceRuntime

extension GatewayV1.AdminAccount {
    /// Its row in a list, as a line
    /// `acc_…  suspended  made 2026-01-31  signed in 2026-02-01  a…@example.org`.
    var row: Row {
        let account = account ?? GatewayV1.Account()
        let (made, seen) = (account.createdAtMs, account.lastSignInAtMs)
        return Row([
            .init("account_id", account.accountId, heading: "account"),
            .init("status", account.status.word),
            .init(
                "created_at", .moment(made), text: Self.day(made),
                phrase: "made \(Self.day(made))", heading: "made"),
            .init(
                "last_sign_in_at", .moment(seen), text: seen == 0 ? "never" : Self.day(seen),
                phrase: seen == 0 ? "never signed in" : "signed in \(Self.day(seen))",
                heading: "signed in"),
            .init("email", account.email), .init("phone_number", account.phoneNumber),
        ])
    }

    /// All fields of the account.
    var details: Row {
        let account = account ?? GatewayV1.Account()
        var fields: [Row.Field] = [
            .init("account_id", account.accountId, heading: "account"),
            .init("status", account.status.word),
        ]
        if let suspension {
            fields += [
                .init(
                    "suspended_at", .moment(suspension.suspendedAtMs),
                    text: "\(Self.moment(suspension.suspendedAtMs)): \(suspension.reason)",
                    heading: "suspended"),
                .init(json: "suspension_reason", .string(suspension.reason)),
            ]
        }
        if let deletion {
            fields += [
                .init("deletion", .string(deletion.state.word), text: deletion.phrase),
                .init(json: "deletion_requested_at", .moment(deletion.requestedAtMs)),
                .init(json: "deletion_due_at", .moment(deletion.dueAtMs)),
            ]
        }
        fields += factorFields + passkeyFields
        let proof = account.emailVerified ? "verified" : "not verified"
        fields += [
            .init(
                "email", .string(account.email),
                text: account.email.isEmpty ? "" : "\(account.email) (\(proof))"),
            .init(json: "email_verified", .boolean(account.emailVerified)),
            .init("phone_number", account.phoneNumber, heading: "phone"),
            .init("display_name", account.displayName, heading: "name"),
            .init(
                "methods", .array(account.methods.map { .string($0) }),
                text: account.methods.joined(separator: ", ")),
            .init("guest", .boolean(account.isGuest), text: account.isGuest ? "yes" : ""),
            .init(
                "is_age_verified", .boolean(account.isAgeVerified),
                text: account.isAgeVerified ? "old enough" : "", heading: "age"),
            Self.moment(
                "verification_mail_sent_at", account.verificationMailSentAtMs, "verify mail"),
            Self.moment("created_at", account.createdAtMs, "made"),
            Self.moment("last_sign_in_at", account.lastSignInAtMs, "last sign-in"),
        ]
        if !account.roles.isEmpty {
            fields.append(
                .init(
                    "roles", .array(account.roles.map { .string($0) }),
                    text: account.roles.joined(separator: ", ")))
        }
        return Row(fields + activityFields)
    }

    /// None for an account without a second factor.
    private var factorFields: [Row.Field] {
        guard !secondFactors.isEmpty else { return [] }
        var fields: [Row.Field] = [
            .init(
                "second_factors", .array(secondFactors.map { .string($0.kind) }),
                text: secondFactors.map { factor in
                    let added = "\(factor.kind) since \(Self.day(factor.addedAtMs))"
                    return factor.name.isEmpty ? added : "\(added) (\(factor.name))"
                }.joined(separator: ", "), heading: "second factors"),
            .init(
                "recovery_codes_left", .integer(Int64(recoveryCodesLeft)),
                text: "\(recoveryCodesLeft)", heading: "recovery codes"),
        ]
        if let secondFactorReset {
            fields += [
                .init(
                    "second_factor_reset_at", .moment(secondFactorReset.dueAtMs),
                    text:
                        "\(Self.moment(secondFactorReset.dueAtMs)): \(secondFactorReset.reason)",
                    heading: "factors removed"),
                .init(json: "second_factor_reset_reason", .string(secondFactorReset.reason)),
            ]
        }
        return fields
    }

    /// None for an account without a passkey.
    private var passkeyFields: [Row.Field] {
        guard passkeys > 0 else { return [] }
        return [
            .init("passkeys", .integer(Int64(passkeys)), text: "\(passkeys)"),
            Self.moment("passkey_last_used_at", passkeyLastUsedAtMs, "last passkey"),
        ]
    }

    private var activityFields: [Row.Field] {
        guard let activity else {
            return [
                .init("sessions", .null, text: "not known: session cannot be reached")
            ]
        }
        let count = Int64(activity.liveSessions)
        return [
            .init("sessions", .integer(count), text: "\(count)"),
            Self.moment("last_activity_at", activity.lastActivityAtMs, "last activity"),
            Self.moment("last_seen_at", activity.lastSeenAtMs, "last seen"),
        ]
    }

    private static func moment(
        _ name: String, _ milliseconds: Int64, _ heading: String
    ) -> Row.Field {
        .init(name, .moment(milliseconds), text: moment(milliseconds), heading: heading)
    }

    private static func moment(_ milliseconds: Int64) -> String {
        milliseconds == 0 ? "" : Timestamp(milliseconds: milliseconds).text
    }

    private static func day(_ milliseconds: Int64) -> String {
        String(moment(milliseconds).prefix(10))
    }
}

extension GatewayV1.Account {
    /// The time of its last sign-in; 0 if there was none.
    fileprivate var lastSignInAtMs: Int64 {
        if case .lastSignInAtMs(let moment) = lastSignIn { moment } else { 0 }
    }

    /// When the last mail to verify its address was ordered; 0 if there was none.
    fileprivate var verificationMailSentAtMs: Int64 {
        if case .verificationMailSentAtMs(let moment) = verificationMail { moment } else { 0 }
    }
}

extension GatewayV1.AccountActivity {
    /// When a live session was last used; 0 if there is none.
    fileprivate var lastActivityAtMs: Int64 {
        if case .lastActivityAtMs(let moment) = lastActivity { moment } else { 0 }
    }

    /// When any session was last used; 0 if not known.
    fileprivate var lastSeenAtMs: Int64 {
        if case .lastSeenAtMs(let moment) = lastSeen { moment } else { 0 }
    }
}

extension GatewayV1.AccountStatus: NamedValue {
    static var words: KeyValuePairs<Self, String> {
        [
            .active: "active", .suspended: "suspended", .pendingVerification: "pending",
            .deleting: "deleting",
        ]
    }
}
