import ServiceRuntime
import Storage

/// Begins the deletion of accounts whose parents have not answered in time (G-23), and of those
/// whose suspension has held it (`Transaction.end`).
struct ParentalConsentExpiry: Sendable {
    static let interval: Duration = .seconds(60)
    /// Accounts of one step.
    private static let batch: Int64 = 64

    let store: Store
    let time: any Time
    let deletions: DeletionTools

    var duty: Duty { Duty("parental-consents", every: Self.interval) { try await step() } }

    /// - Returns: whether there are more.
    func step() async throws -> Bool {
        let now = time.now()
        let overdue = try await store.read {
            try $0.overdueParentalConsents(at: now, limit: Self.batch)
        }
        for account in overdue {
            try await store.write(about: [.account(account)]) { transaction in
                guard let consent = try transaction.parentalConsent(of: account),
                    let expiresAt = consent.expiresAt, expiresAt <= transaction.at,
                    consent.state == .refused
                        || ParentalConsentRule.outcome(consent.state, .expired) == .ends,
                    try transaction.standing(account)?.status != .suspended
                else { return }
                try transaction.end(consent, deletions)
            }
        }
        if !overdue.isEmpty { deletions.wake() }
        return overdue.count == Self.batch
    }
}

extension Transaction {
    /// Ends the wait for a parent, or the parent's consent: the account is deleted.
    ///
    /// Attack: the holder of an account that is suspended refuses as its parent, and signs up again
    /// with the same address. So the deletion of a suspended account is held (as `isHeld` does for
    /// owners): the answer is recorded, and `ParentalConsentExpiry` begins the deletion when the
    /// suspension ends. It is no deletion that waits, since a link in a mail could cancel that.
    func end(_ consent: ParentalConsent, _ deletions: DeletionTools) throws {
        guard try standing(consent.account)?.status != .suspended else {
            return try answerParent(of: consent.account, .refused, until: at)
        }
        try answerParent(of: consent.account, .refused)
        try beginDeletion(of: consent.account, source: .parent, due: at, deletions)
    }
}
