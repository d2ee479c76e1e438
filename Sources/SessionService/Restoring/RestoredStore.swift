import Logging
import ServiceRuntime
import Storage

/// What a start makes of the store that it finds, so that a restored backup revives no session that
/// ended after it was made (Sources/SECURITY.md, Erasure):
///
///     the store is                     its epoch    its open sessions    its signing keys
///     new, or from before epochs       a new one    stay                 stay
///     the one that ran here last       as it was    stay                 stay
///     a backup's copy (`RestoredCopy`)  a new one    end, for security    are revoked, all of them
///
/// Which of a backup's sessions ended later nobody here can tell: by a sign-out, a lost phone, a
/// replaced password. So all of them end, and people sign in once more. Nor can anybody tell which
/// keys were revoked since, or which access tokens are out: of sessions that the copy takes for
/// idle, or that were opened after it and have no row. So no key of the copy verifies anything any
/// more, and the start makes a new one. What such a token says of its session is not even read.
///
/// The epoch stands beside every position that followers of ends are told. The restored store uses
/// positions again that the lost one had told; a follower that comes with one of those would miss
/// ends, so one with a foreign epoch starts anew (`RevocationPages`).
///
/// A copy that was not made as a backup (a file copied by hand, a machine's snapshot) cannot be told
/// from the store itself.
enum RestoredStore {
    /// The store's epoch, once a restored copy has been dealt with; together or not at all.
    static func epoch(
        of store: Store, randomness: any Randomness, logger: Logger
    ) async throws -> UInt64 {
        let isRestored = store.isRestoredCopy
        let (epoch, ended) = try await store.write { transaction in
            if !isRestored, let epoch = try transaction.epoch() { return (epoch, 0) }
            let epoch = Int64(truncatingIfNeeded: randomness.integer() | 1) & .max
            try transaction.setEpoch(epoch)
            guard isRestored else { return (UInt64(epoch), 0) }
            try transaction.revokeRestoredKeys()
            return (UInt64(epoch), try transaction.endRestored())
        }
        if isRestored {
            logger.warning(
                "session.store.restored",
                "restored backup: open sessions ended, signing keys revoked",
                fields: [.count: .count(ended)])
        }
        return epoch
    }
}

extension Transaction {
    fileprivate func epoch() throws -> UInt64? {
        try queryOne("SELECT epoch FROM store_epoch WHERE id = 1") {
            UInt64(clamping: try $0.integer(0))
        }
    }

    fileprivate func setEpoch(_ epoch: Int64) throws {
        try execute(
            """
            INSERT INTO store_epoch (id, epoch, begun_at_ms) VALUES (1, ?1, ?2)
            ON CONFLICT (id) DO UPDATE
            SET epoch = excluded.epoch, begun_at_ms = excluded.begun_at_ms
            """,
            [.integer(epoch), SQLValue(at)])
    }

    /// Revokes every signing key, also those that had their time: one of them may have been revoked
    /// after the backup was made. They are a few for each year.
    fileprivate func revokeRestoredKeys() throws {
        for key in try latestSigningKeys(.max) where !key.isRevoked { try revoke(key) }
    }

    /// Ends all open sessions, in two statements for a million of them. Followers are told of those
    /// that the copy knows to have been used lately. That is as old as the backup and tells of few;
    /// what makes all access tokens worthless is that their keys are revoked.
    fileprivate func endRestored() throws -> Int {
        let reason = SQLValue.integer(EndReason.security.rawValue)
        try execute(
            """
            INSERT INTO session_end (session, ended_at_ms, reason)
            SELECT id, ?1, ?2 FROM session WHERE ended_at_ms IS NULL AND used_at_ms > ?3
            """,
            [SQLValue(at), reason, SQLValue(at - Self.endsKeptFor)])
        let ended = try execute(
            "UPDATE session SET ended_at_ms = ?, end_reason = ? WHERE ended_at_ms IS NULL",
            [SQLValue(at), reason])
        try audit(AuditEvent(.backupRestored, attempt: Int64(ended)))
        try forgetRestore()
        return ended
    }
}
