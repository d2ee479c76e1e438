import ServiceRuntime

/// The state of an account's deletion (G-19). It is the deletion's, not the account's: while the
/// deletion waits, the account's status is what it was.
enum DeletionState: Hashable, Sendable {
    /// None was requested, it was cancelled, or it is done.
    case none
    /// It begins at this time, unless it is cancelled.
    case waiting(until: Timestamp)
    /// It has begun; the step is the next one to do.
    case deleting(DeletionStep)
}

/// The steps of a deletion, in their order (G-20). Each can be repeated, since a crash before its
/// commit leaves only this:
///
///     tombstone        the line; it is written again
///     release          nothing
///     sessions         ended sessions; they are ended again
///     push-devices     none; asked again
///     backend          nothing
///     content          fewer guests and documents; rows without a file
///     other-services   one that has forgotten; asked again
///     rows             nothing
///     notice           nothing
///     grants           a revoked grant; asked again
///     end              nothing
///
/// Raw values are stored and must never change.
enum DeletionStep: Int64, CaseIterable, Sendable {
    /// Write a line into each folder of `tombstones`, synced, and `account.deletion-begun` for
    /// webhooks.
    case tombstone = 1
    /// Delete email, number, identities, password, links and codes. What later steps need is sealed
    /// in the deletion's row. From its commit on the same person can sign up again.
    case release = 2
    /// Have the session service end its sessions, with the reason that the account is deleted.
    case sessions = 3
    /// Have the notification service remove its devices for push messages.
    case pushDevices = 4
    /// Wait until the app's backend has deleted its part, if `deletion-awaits-backend`.
    case backend = 5
    /// Begin to delete guests that were kept for the account, or wait to be merged, except suspended
    /// ones. Delete documents, 200 a transaction, and photo and export, the file before the row.
    case content = 6
    /// Have session, notification and rate limit delete their part (`ForgetAccountData`).
    case otherServices = 7
    /// Delete all rows of the account, and its key.
    case rows = 8
    /// Put the last mail into the outbox, sealed, without account id, for 24 h. Email and numbers
    /// leave the deletion's row.
    case notice = 9
    /// Have Apple and Google revoke what they granted, unless that identity has signed up again.
    /// Tried for 30 days.
    case grants = 10
    /// Delete the row of the deletion itself, and audit `account.deleted`.
    case end = 11

    /// The name that operators see.
    var name: String {
        switch self {
        case .tombstone: "tombstone"
        case .release: "release"
        case .sessions: "sessions"
        case .pushDevices: "push-devices"
        case .backend: "backend"
        case .content: "content"
        case .otherServices: "other-services"
        case .rows: "rows"
        case .notice: "notice"
        case .grants: "grants"
        case .end: "end"
        }
    }

    /// The next step; nil after the last one.
    var next: DeletionStep? { DeletionStep(rawValue: rawValue + 1) }
}

/// The events that change the state of a deletion. Nothing else changes it.
enum DeletionEvent: Hashable, Sendable {
    /// It is requested, to begin at this time.
    case requested(due: Timestamp)
    /// The owner cancels it.
    case cancelled
    /// Time has passed.
    case checked
    /// The step that was next is done.
    case stepDone
}

/// The transitions of a deletion. Pure:
///
///     state               requested, due later   requested, due now   cancelled   checked
///     none                waiting                deleting             –           –
///     waiting, not due    –                      deleting             none        –
///     waiting, due        –                      deleting             none        deleting
///     deleting            –                      –                    –           –
///
///     state               step done
///     deleting            deleting, with the next step
///     deleting, at end    none
///     any other           –
///
/// "–": no change. A second request to wait does not move the time that the owner was told. There
/// is no way back from deleting: the tombstone may be written, and a restored copy of the store
/// would then delete an account that lives.
enum DeletionRule {
    /// The state after `event`, at the time `now`; unchanged if the event has no effect.
    static func state(
        _ state: DeletionState, after event: DeletionEvent, at now: Timestamp
    ) -> DeletionState {
        switch (state, event) {
        case (.none, .requested(let due)):
            due <= now ? .deleting(.tombstone) : .waiting(until: due)
        case (.waiting, .requested(let due)): due <= now ? .deleting(.tombstone) : state
        case (.waiting, .cancelled): .none
        case (.waiting(let due), .checked): due <= now ? .deleting(.tombstone) : state
        case (.deleting(let step), .stepDone): step.next.map { .deleting($0) } ?? .none
        case (.none, _), (.waiting, _), (.deleting, _): state
        }
    }
}
