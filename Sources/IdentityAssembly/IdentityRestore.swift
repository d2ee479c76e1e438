package import AccountLife
package import IdentityService
package import ServiceRuntime
package import Storage

/// Handles a restored backup at start, so that nothing works twice, or works although it was
/// cancelled, because the copy is from before that (I-06, O-01):
///
///     in the copy                    at the first start    because after the backup
///     links in mails                 deleted               one was used, or replaced by another
///     phone codes                    expire                one was used, or guessed at five times
///     sign-ins that wait for a       deleted               one was completed, or guessed at
///     second proof
///     codes of authenticator apps    void until now        one was used
///     removals of second factors     end                   the owner has stopped one, or it was
///     that wait                                            done
///     changes of an address          deleted               an owner has cancelled a thief's change
///     claims of strict sign-ups      deleted               another claim got the address
///     questions to parents           asked again: a new    one has answered, or another address
///                                    wait, no link         was asked
///     nonces and challenges for      void                  one was used, with a token or a passkey
///     passkeys, also later ones
///     stored responses               deleted               see below
///     exports of data                deleted               one was cancelled, or its link used
///     followers of documents         get all again         changes are lost, which they have
///     roles and claims of accounts   sent to session       changes are lost, which session has
///                                    again
///     outbox: mails, texts, notices, deleted               they were sent; their links and codes
///     requests for a link                                  are void
///     deletions that wait            wait again, or are    an owner has cancelled one
///                                    deleted: see below
///     outbox: all else               delivered             ends of sessions and devices, grants
///                                                          and relays must arrive
///
/// A link, code or nonce that is void gets the same answer as one that has expired. All claims are
/// deleted, not only some, so that this tells nothing about an address.
///
/// Attack on stored responses: somebody who had taken over a phone number signed in by a code,
/// under an idempotency key. Then the owner removed the number, which the copy does not know. A
/// repeat of that call would be answered with a new proof, although its code is used. So no
/// response from before the restore is given again.
///
/// A guest's migration resumes from the rows of the copy, which has all documents that were on
/// either side then. A guest that was deleted since is deleted again by its tombstone.
///
/// A deletion that waits does so for `deletion-wait` again, and no shorter than it would have. Its
/// owner is mailed another link. Without a verified address that mail cannot be sent: a deletion
/// that its owner had cancelled would be carried out without notice. So one that an owner of such
/// an account requested is deleted; the account stays, and its owner can request it again.
///
/// Two tables stay. A provider's notice that was processed (`provider_notices`) could only be
/// processed again, which repeats what is lost with the store. A change of a number
/// (`number_changes`) that the copy does not know is reported again with the next message.
///
/// A copy does not show which passwords, methods, passkeys, second factors, recovery codes,
/// suspensions, roles and claims were changed or used later. Those are again what they were
/// (Sources/SECURITY.md, What is not promised). An account that got its first role later keeps it at
/// session until its claims are set.
package enum IdentityRestore {
    /// Settles a restored copy, once; does nothing in any other store. To be called before anything
    /// else uses the store.
    /// - Parameter deletion: How long a deletion waits. The default is for tests.
    /// - Throws: as `Store.settleRestoredCopy`.
    package static func settle(
        _ store: Store, _ deletion: DeletionSettings = AccountLifeSettings().deletion
    ) async throws {
        let tables = [
            "links", "phone_codes", "sign_in_challenges", "email_changes", "claims", "used_nonces",
            "idempotency", "outbox", "document_totals", "deletions", "exports",
            "parental_consents", "accounts", "second_factors", "custom_claims",
        ]
        try await store.settleRestoredCopy(about: tables.map { .table($0) }) { transaction in
            try transaction.voidNonces()
            try transaction.execute("DELETE FROM idempotency")
            try transaction.resetFollowers()
            try transaction.askParentsAgain()
            try transaction.restartWaitingDeletions(for: deletion.wait)
            try transaction.settleRestoredFactors()
            try transaction.sendClaimsAgain()
            return try transaction.voidRestored()
        }
    }
}

extension IdentityTables {
    /// What the first start on a restored copy ends, for `postern restore`.
    /// - Parameter now: what has expired by then is not counted.
    /// - Throws: `SQLError`.
    package static func endedByRestore(
        in session: some SQLSession, at now: Timestamp
    ) throws -> [(what: String, count: Int)] {
        let moment = [SQLValue(now)]
        func count(_ sql: String, _ values: [SQLValue]) throws -> Int {
            Int(clamping: try session.queryOne(sql, values) { try $0.integer(0) } ?? 0)
        }
        var unsent = 0
        for topic in OutboxTopic.voidedByRestore {
            unsent += try count(
                "SELECT count(*) FROM outbox WHERE topic = ?", [.text(topic.rawValue)])
        }
        return [
            ("links", try count("SELECT count(*) FROM links WHERE expires_at_ms > ?", moment)),
            (
                "phone codes",
                try count(
                    "SELECT count(*) FROM phone_codes WHERE stage = 1 AND expires_at_ms > ?",
                    moment)
            ),
            (
                "sign-ins that wait",
                try count(
                    """
                    SELECT count(*) FROM sign_in_challenges
                    WHERE used_at_ms IS NULL AND expires_at_ms > ?
                    """, moment)
            ),
            (
                "email changes",
                try count("SELECT count(*) FROM email_changes WHERE expires_at_ms > ?", moment)
            ),
            (
                "pending sign-ups",
                try count("SELECT count(*) FROM claims WHERE expires_at_ms > ?", moment)
            ),
            (
                "exports of data",
                try count(
                    "SELECT count(*) FROM exports WHERE expires_at_ms > ?", moment)
            ),
            ("unsent mails, texts and push messages", unsent),
        ]
    }
}

extension Transaction {
    /// Voids what is used once, with few statements even for a million rows.
    /// - Returns: how much that was.
    fileprivate func voidRestored() throws -> Int {
        var voided =
            try execute("DELETE FROM links") + execute("DELETE FROM email_changes")
            + execute("DELETE FROM claims") + execute("DELETE FROM exports")
            + execute("DELETE FROM sign_in_challenges")
        voided += try execute(
            "UPDATE phone_codes SET expires_at_ms = ?1 WHERE stage = 1 AND expires_at_ms > ?1",
            [SQLValue(at)])
        for topic in OutboxTopic.voidedByRestore {
            voided += try execute(
                "DELETE FROM outbox WHERE topic = ?", [.text(topic.rawValue)])
        }
        return voided
    }

    /// In the copy the time of a wait may be over although the parent has consented since, and no
    /// account may be deleted for that. A consent that the copy knows stays: an account whose
    /// consent was withdrawn later has a tombstone once it is deleted (`Tombstones`). A refusal
    /// stays, too: none is followed by a consent.
    fileprivate func askParentsAgain() throws {
        try put(
            """
            UPDATE parental_consents SET state = CASE WHEN state = ? THEN state ELSE ? END,
                parent_email = NULL, token_hash = NULL, expires_at_ms = ?
            WHERE expires_at_ms IS NOT NULL AND state <> ?
            """,
            [
                .integer(ParentalConsentState.inherited.rawValue),
                .integer(ParentalConsentState.needed.rawValue),
                SQLValue(at + AgeGate.parentLife),
                .integer(ParentalConsentState.refused.rawValue),
            ])
    }

    /// A deletion that waits may have been cancelled since: it waits again, and the worker mails
    /// its owner another link. One that was carried out has a tombstone (`Tombstones`).
    fileprivate func restartWaitingDeletions(for wait: Duration) throws {
        try put(
            """
            DELETE FROM deletions WHERE step = 0 AND source = ? AND NOT EXISTS (
                SELECT 1 FROM email_addresses
                WHERE email_addresses.account = deletions.account AND proved_at_ms IS NOT NULL)
            """, [.text(DeletionSource.owner.rawValue)])
        try put(
            """
            UPDATE deletions SET
                due_at_ms = CASE WHEN due_at_ms < ?1 THEN ?1 ELSE due_at_ms END,
                next_attempt_at_ms = ?2, keep_link = NULL
            WHERE step = 0
            """, [SQLValue(at + wait), SQLValue(at)])
    }

    /// No position from before the restore can be resumed: it may count changes that the copy does
    /// not have.
    fileprivate func resetFollowers() throws {
        try put(
            """
            UPDATE document_totals SET
                position = CASE WHEN position < ?1 THEN ?1 ELSE position + 1 END,
                oldest_position = CASE WHEN position < ?1 THEN ?1 ELSE position + 1 END
            """,
            [SQLValue(at)])
    }
}
