import Contracts
package import IdentityService
import Messages
import PersonalData
import RPC
import ServiceRuntime
import Storage

/// A guest without a live session.
struct UnusedGuest: Hashable, Sendable {
    let account: AccountID
    /// Nil if that is not known.
    let lastSeenAt: Timestamp?
    /// When it is deleted; nil for never.
    let deletedAt: Timestamp?
}

/// Searches unused guests: pages of identity's guests, and what the session service knows
/// of their use.
struct UnusedGuestSearch: Sendable {
    /// Guests in one read, and in one call of the session service, which takes 1,000.
    static let guestsMax: Int64 = 500

    /// Some of the unused guests.
    struct Page: Sendable {
        let guests: [UnusedGuest]
        /// The last guest that was looked at; nil after the last one of all.
        let next: AccountID?
    }

    let store: Store
    let activity: any AccountActivityAPI
    /// The setting `guest-kept`; nil for ever.
    let kept: Duration?

    /// The rule for this store.
    func rule() async throws -> UnusedGuestRule {
        UnusedGuestRule(
            kept: kept, upgradedAt: try await store.read { try $0.upgradedForGuests() })
    }

    /// The unused ones among the next guests.
    /// - Parameter createdBefore: Looks only at guests from before this; nil for all.
    /// - Throws: errors of the store and of the session service.
    func page(
        after: AccountID?, createdBefore: Timestamp? = nil, limit: Int64, _ rule: UnusedGuestRule,
        _ context: CallContext
    ) async throws -> Page {
        let (guests, last) = try await store.read {
            try $0.guests(after: after, createdBefore: createdBefore, limit: limit)
        }
        guard !guests.isEmpty else { return Page(guests: [], next: last) }
        let answer = try await activity.listAccountActivity(
            SessionV1.ListAccountActivityRequest(accountIds: guests.map(\.account.text)), context)
        // Deletion is decided by these.
        guard answer.activities.count == guests.count else {
            throw ServiceError(.internalError, detail: "the session service left out accounts")
        }
        let unused = zip(guests, answer.activities).filter { $1.liveSessions == 0 }
        return Page(
            guests: unused.map { guest, activity in
                let lastSeenAt: Timestamp? =
                    if case .lastSeenAtMs(let seen) = activity.lastSeen {
                        Timestamp(milliseconds: seen)
                    } else {
                        nil
                    }
                return UnusedGuest(
                    account: guest.account, lastSeenAt: lastSeenAt,
                    deletedAt: rule.deletion(createdAt: guest.createdAt, lastSeenAt: lastSeenAt))
            }, next: last)
    }
}

/// The index of guests. The time of its migration is the one from which `guest-kept` counts.
extension IdentityTables {
    /// The number of the migration that makes it.
    package static let guestsMigration = 20

    /// The index `accounts_guests`.
    package static let guests = """
        CREATE INDEX accounts_guests ON accounts (account, created_at_ms) WHERE is_guest = 1;
        """
}

extension SQLSession {
    /// When the store was upgraded to the version that deletes unused guests.
    fileprivate func upgradedForGuests() throws -> Timestamp {
        let moment = try queryOne(
            """
            SELECT applied_at_ms FROM schema_migrations WHERE component = 'service' AND number = ?
            """, [.integer(Int64(IdentityTables.guestsMigration))]
        ) { try $0.timestamp(0) }
        guard let moment else {
            throw SQLError(.unexpectedValue, detail: "schema_migrations has no row of the guests")
        }
        return moment
    }

    /// The next guests by key, except those that are being deleted or whose documents are still to
    /// be moved into an account, and the last one that was looked at; nil after the last one of
    /// all.
    fileprivate func guests(
        after: AccountID?, createdBefore: Timestamp?, limit: Int64
    ) throws -> (guests: [(account: AccountID, createdAt: Timestamp)], last: AccountID?) {
        let rows = try query(
            """
            SELECT account, created_at_ms, status FROM accounts
            WHERE is_guest = 1 AND account > ? AND NOT \(StoredMigration.isUnderWay)
            ORDER BY account LIMIT ?
            """, [.integer(after?.key ?? 0), .integer(limit)]
        ) { row in
            (
                account: try AccountID(stored: row.integer(0)), createdAt: try row.timestamp(1),
                isDeleting: try row.integer(2) == AccountStatus.deleting.rawValue
            )
        }
        let guests = rows.filter { row in
            !row.isDeleting && createdBefore.map { row.createdAt <= $0 } ?? true
        }
        return (
            guests.map { ($0.account, $0.createdAt) },
            rows.count < limit ? nil : rows.last?.account
        )
    }
}

/// When an unused guest is deleted (I-04). Pure.
///
/// A guest is reached only through its session (G-07), so one without a live session stays unused
/// for ever. It is kept for `guest-kept` from its last use, not from its session's end, and at
/// least as long from the upgrade to the version that began to delete guests: an upgrade alone
/// deletes none.
struct UnusedGuestRule: Sendable {
    /// How long; nil for ever.
    let kept: Duration?
    /// When the store was upgraded.
    let upgradedAt: Timestamp

    /// When a guest is deleted; nil for never.
    /// - Parameter lastSeenAt: Nil if that is not known; then its creation counts.
    func deletion(createdAt: Timestamp, lastSeenAt: Timestamp?) -> Timestamp? {
        kept.map { max(lastSeenAt ?? createdAt, upgradedAt) + $0 }
    }

    /// Only guests that were created before this can be due at `now`; nil if none is.
    func createdBefore(_ now: Timestamp) -> Timestamp? {
        guard let kept, upgradedAt + kept <= now else { return nil }
        return now - kept
    }
}
