import ServiceRuntime
import Storage

/// Ends the need of a parent at the least age, and begins the deletion of accounts whose parents have
/// not answered in time (G-23), and of those whose suspension has held it
/// (`Transaction.endParentalConsent`).
struct ParentalConsentExpiry: Sendable {
    static let interval: Duration = .seconds(60)
    /// Accounts of one step.
    private static let batch: Int64 = 64

    let store: Store
    let time: any Time
    let deletions: any PendingDeletions

    var duty: Duty { Duty("parental-consents", every: Self.interval) { try await step() } }

    /// - Returns: whether there are more.
    func step() async throws -> Bool {
        let now = time.now()
        let (ofAge, overdue) = try await store.read {
            (
                try $0.parentalConsentsOfAge(at: now, limit: Self.batch),
                try $0.overdueParentalConsents(at: now, limit: Self.batch)
            )
        }
        for account in ofAge {
            try await store.write(about: [.account(account)]) { transaction in
                guard let consent = try transaction.parentalConsent(of: account),
                    consent.ofAgeAt <= transaction.at,
                    ParentalConsentRule.outcome(consent.state, .ofAge) == .free
                else { return }
                try transaction.removeNeed(of: account)
            }
        }
        for account in overdue {
            try await store.write(about: [.account(account)]) { transaction in
                guard let consent = try transaction.parentalConsent(of: account),
                    let expiresAt = consent.expiresAt, expiresAt <= transaction.at,
                    consent.state == .refused
                        || ParentalConsentRule.outcome(consent.state, .expired) == .ends,
                    try transaction.standing(account)?.status != .suspended
                else { return }
                try transaction.endParentalConsent(consent, deletions)
            }
        }
        if !overdue.isEmpty { deletions.wake() }
        return overdue.count == Self.batch || ofAge.count == Self.batch
    }
}
