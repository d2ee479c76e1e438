package import Storage

/// Handles a restored backup at start (O-01): nothing ends. A count only restrains, so what is
/// known of failures and waits stays, whatever happened since:
///
///     in the copy               after the restore    what happened since the backup
///     counts, waits, locks      go on by time        an attacker has the tries of one more window
///     refusals (`hits`)         go on by time        their audit rows are lost with the store
///     known devices             stay                 a forgotten one has its own few guesses again
///     shared sites              stay                 sign-ins since then are not counted there
///     secrets of the hashes     stay                 a secret that was rotated away is used again
///
/// A restore gives each subject the tries that it had at the backup, no more. Charges under an
/// idempotency key count for a minute, by time. A secret that was rotated because somebody knows it
/// must be rotated again (`postern limits rotate-key`).
package enum RateLimitRestore {
    /// Records the restore, once; does nothing in any other store. To be called before anything
    /// else uses the store.
    /// - Throws: as `Store.settleRestoredCopy`.
    package static func settle(_ store: Store) async throws {
        try await store.settleRestoredCopy(about: []) { _ in 0 }
    }
}
