package import ServiceRuntime
package import Storage

/// What decides whether an account has completed onboarding (G-18):
///
///     set by an import or a backend   completed here   the documents exist   is complete
///     complete                        any              any                   yes
///     not complete                    any              any                   no
///     not set                         yes              any                   yes
///     not set                         no               yes                   yes
///     not set                         no               no                    no
///
/// *The documents* are those which a completion would write with required fields. So an account
/// whose documents came another way, for example from the backend, is not asked again (D1). A
/// completion removes what was set.
package struct OnboardingRecord: Hashable, Sendable {
    /// When the owner completed onboarding; nil if never. It is at least the position of the
    /// account's documents then (`completionTime(at:position:)`).
    var completedAt: Timestamp?
    /// What an import or a backend has set; nil if none did since the last completion.
    package var isSet: Bool?

    /// Whether the documents count.
    package var dependsOnDocuments: Bool { isSet == nil && completedAt == nil }

    /// Whether onboarding is complete.
    package func isComplete(documentsExist: Bool) -> Bool {
        isSet ?? (completedAt != nil || documentsExist)
    }

    /// The time to store of a completion at `moment`.
    ///
    /// Positions of documents are milliseconds, like times: that of the change, or a little later if
    /// there were many (`DocumentTotals.takePosition`). So each later save of a draft has a higher
    /// position than this time.
    /// - Parameter position: that of the account's latest change of a document, also by the
    ///   completion.
    package static func completionTime(at moment: Timestamp, position: Int64) -> Timestamp {
        max(moment, Timestamp(milliseconds: position))
    }

    /// Whether a completion would change nothing: one was the last to set the flag, and no draft
    /// was saved or removed since.
    /// - Parameter draftPositions: The positions of the drafts, also of removed ones.
    package func isRepeat(draftPositions: [Int64]) -> Bool {
        guard isSet == nil, let completedAt else { return false }
        return draftPositions.allSatisfy { $0 <= completedAt.milliseconds }
    }
}

/// The columns of `accounts` that hold the record.
extension IdentityTables {
    /// The columns `onboarded_at_ms` and `onboarding_set`.
    package static let onboarding = """
        ALTER TABLE accounts ADD COLUMN onboarded_at_ms INTEGER;
        ALTER TABLE accounts ADD COLUMN onboarding_set INTEGER;
        """
}

extension OnboardingRecord {
    /// Reads the columns.
    init(_ row: SQLRow) throws {
        completedAt = try row.optionalTimestamp("onboarded_at_ms")
        isSet = try row.optionalInteger("onboarding_set").map { $0 != 0 }
    }
}

extension SQLSession {
    /// The record of an account; nil if there is no such account.
    /// - Throws: `SQLError`.
    package func onboardingRecord(_ account: AccountID) throws -> OnboardingRecord? {
        try queryOne(
            "SELECT onboarded_at_ms, onboarding_set FROM accounts WHERE account = ?",
            [.integer(account.key)]
        ) { try OnboardingRecord($0) }
    }
}

extension Transaction {
    /// Records a completion.
    /// - Throws: `SQLError`.
    package func setOnboarded(_ account: AccountID, at moment: Timestamp) throws {
        try put(
            "UPDATE accounts SET onboarded_at_ms = ?, onboarding_set = NULL WHERE account = ?",
            [SQLValue(moment), .integer(account.key)])
    }

    /// Sets the flag, as a backend says.
    /// - Throws: `SQLError`.
    package func setOnboarding(_ isComplete: Bool, of account: AccountID) throws {
        try put(
            "UPDATE accounts SET onboarding_set = ? WHERE account = ?",
            [SQLValue(isComplete), .integer(account.key)])
    }
}
