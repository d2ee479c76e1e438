import Logging
import ServiceRuntime
import Storage

/// What a start makes of the store that it finds, so that a restored backup revives no session that
/// ended after it was made (security.md, Erasure):
///
///     the store is                     its epoch       its open sessions
///     new, or from before epochs       a new one       stay
///     the one that ran here last       as it was       stay
///     a backup's copy (`RestoredCopy`)  a new one       end, for security
///
/// Which of a backup's sessions ended later nobody here can tell: by a sign-out, a lost phone, a
/// replaced password. So all of them end, and people sign in once more.
///
/// The epoch stands beside every position that followers of ends are told. The restored store uses
/// positions again that the lost one had told; a follower that comes with one of those would miss
/// ends, so one with a foreign epoch starts anew (`EndsPages`).
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
            let ended = isRestored ? try transaction.endRestored() : 0
            return (UInt64(epoch), ended)
        }
        if isRestored {
            logger.warning(
                "a restored backup: its open sessions have ended", fields: [.count: .count(ended)])
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

    /// Ends all open sessions, in two statements for a million of them. Followers are told of those
    /// that were used lately enough for an access token to be good.
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
