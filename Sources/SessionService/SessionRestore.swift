package import ServiceRuntime
package import Storage

/// Handles a restored backup at start, so that no session becomes live again that ended after the
/// backup was made (Sources/SECURITY.md, Erasure):
///
///     the store is                      its epoch    its open sessions       its signing keys
///     new, or from before epochs        a new one    continue                stay valid
///     the one that last ran here        unchanged    continue                stay valid
///     a restored copy                   a new one    end, reason `security`  are all revoked
///
/// The copy does not show which of its sessions ended later: by a sign-out, a lost phone, a
/// password change. So all of them end, and users sign in again. Nor does it show which keys were
/// revoked since, or which access tokens exist: of sessions that are idle in the copy, or that were
/// opened after it and have no row. So no key of the copy verifies anything any more, and the start
/// generates a new one. The claims of such tokens are not even read.
///
/// Every position in the revocation feed comes with the epoch. The restored store reuses positions
/// that the lost one had sent. A follower that resumed from one of them would miss revocations, so
/// one with another epoch starts from a reset (`RevocationPages`).
///
/// Claims of accounts may be older than identity's. The next sign-in's proof has identity's version,
/// and no session of before is left that could be refreshed with the former ones.
///
/// A snapshot of a whole machine or disk cannot be distinguished from the store itself.
package enum SessionRestore {
    /// Settles a restored copy, once; does nothing in any other store. To be called before anything
    /// else uses the store.
    /// - Throws: as `Store.settleRestoredCopy`.
    package static func settle(_ store: Store, randomness: any Randomness) async throws {
        guard store.isRestoredCopy else { return }
        let epoch = newEpoch(randomness)
        try await store.settleRestoredCopy(
            about: [.table("store_epoch"), .table("session"), .table("session_end")]
                + SigningKeyRing.subjects
        ) { transaction in
            try transaction.setEpoch(epoch)
            try transaction.revokeRestoredKeys()
            return try transaction.endRestored()
        }
    }

    /// The store's epoch. A store without one gets it now.
    static func epoch(of store: Store, randomness: any Randomness) async throws -> UInt64 {
        let epoch = newEpoch(randomness)
        return try await store.write(about: [.table("store_epoch")]) { transaction in
            if let epoch = try transaction.epoch() { return epoch }
            try transaction.setEpoch(epoch)
            return UInt64(epoch)
        }
    }

    private static func newEpoch(_ randomness: any Randomness) -> Int64 {
        Int64(truncatingIfNeeded: randomness.integer() | 1) & .max
    }
}

extension SessionTables {
    /// What the first start on a restored copy ends, for `postern restore`.
    /// - Throws: `SQLError`.
    package static func endedByRestore(
        in session: some SQLSession
    ) throws -> [(what: String, count: Int)] {
        let open = try session.queryOne("SELECT count(*) FROM session WHERE ended_at_ms IS NULL") {
            try $0.integer(0)
        }
        return [("open sessions", Int(clamping: open ?? 0))]
    }
}

extension Transaction {
    fileprivate func epoch() throws -> UInt64? {
        try queryOne("SELECT epoch FROM store_epoch WHERE id = 1") {
            UInt64(clamping: try $0.integer(0))
        }
    }

    fileprivate func setEpoch(_ epoch: Int64) throws {
        try put(
            """
            INSERT INTO store_epoch (id, epoch, begun_at_ms) VALUES (1, ?1, ?2)
            ON CONFLICT (id) DO UPDATE
            SET epoch = excluded.epoch, begun_at_ms = excluded.begun_at_ms
            """,
            [.integer(epoch), SQLValue(at)])
    }

    /// Revokes every signing key, including retired ones: one of them may have been revoked after
    /// the backup was made. There are a few for each year.
    fileprivate func revokeRestoredKeys() throws {
        for key in try latestSigningKeys(.max) where !key.isRevoked { try revoke(key) }
    }

    /// Ends all open sessions, with a few statements even for a million of them. Followers receive
    /// the revocations of sessions that were used recently according to the copy. That is as old as
    /// the backup and covers few; access tokens become invalid because their keys are revoked.
    fileprivate func endRestored() throws -> Int {
        let reason = SQLValue.integer(EndReason.security.rawValue)
        try put(
            """
            INSERT INTO session_end (session, ended_at_ms, reason)
            SELECT id, ?1, ?2 FROM session WHERE ended_at_ms IS NULL AND used_at_ms > ?3
            """,
            [SQLValue(at), reason, SQLValue(at - Self.revocationRetention)])
        return try execute(
            "UPDATE session SET ended_at_ms = ?, end_reason = ? WHERE ended_at_ms IS NULL",
            [SQLValue(at), reason])
    }
}
