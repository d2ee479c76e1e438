import ArgumentParser
import Messages
import ServiceRuntime

extension IdentityV1.AdminAccount {
    /// A line in a list: `acc_…  suspended  made 2026-01-31  signed in 2026-02-01  a…@example.org`.
    var line: String {
        let account = account ?? IdentityV1.Account()
        return [
            account.accountId, account.status.word, "made \(Self.day(account.createdAtMs))",
            account.lastSignInAtMs == 0
                ? "never signed in" : "signed in \(Self.day(account.lastSignInAtMs))",
            [account.email, account.phoneNumber].filter { !$0.isEmpty }.joined(separator: "  "),
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// All fields of the account, one line each.
    var lines: [String] {
        let account = account ?? IdentityV1.Account()
        var rows: [(String, String)] = [
            ("account", account.accountId), ("status", account.status.word),
        ]
        if let suspension {
            rows.append(("suspended", "\(Self.moment(suspension.sinceMs)): \(suspension.reason)"))
        }
        let proof = account.emailVerified ? "verified" : "not verified"
        rows.append(("email", account.email.isEmpty ? "" : "\(account.email) (\(proof))"))
        rows += [
            ("phone", account.phoneNumber), ("name", account.displayName),
            ("methods", account.methods.joined(separator: ", ")),
            ("guest", account.isGuest ? "yes" : ""), ("made", Self.moment(account.createdAtMs)),
            ("last sign-in", Self.moment(account.lastSignInAtMs)),
        ]
        rows += activityRows
        return rows.filter { !$0.1.isEmpty }.map { $0.0.padded(to: 15) + $0.1 }
    }

    private var activityRows: [(String, String)] {
        guard let activity else {
            return [("sessions", "not known: session cannot be reached")]
        }
        return [
            ("sessions", "\(activity.liveSessions)"),
            ("last activity", Self.moment(activity.lastActivityAtMs)),
            ("last seen", Self.moment(activity.lastSeenAtMs)),
        ]
    }

    private static func moment(_ milliseconds: Int64) -> String {
        milliseconds == 0 ? "" : Timestamp(milliseconds: milliseconds).text
    }

    private static func day(_ milliseconds: Int64) -> String {
        String(moment(milliseconds).prefix(10))
    }
}

extension IdentityV1.AccountStatus: NamedValue {
    static var words: KeyValuePairs<Self, String> {
        [
            .active: "active", .suspended: "suspended", .pendingVerification: "pending",
            .deleting: "deleting",
        ]
    }
}
