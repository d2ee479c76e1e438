import IdentityService
import ServiceRuntime
import Storage

extension Transaction {
    /// Begins the deletion of an account at `due` (`DeletionRule`): now or earlier means at once. A
    /// deletion that waits for a later time begins at once then; one that has begun goes on. Call
    /// `DeletionContext.wake` after the commit.
    ///
    /// If it begins at once, this transaction makes the account *deleting* and ends its sessions,
    /// as far as identity decides it: sign-in, links and refreshes are refused from its commit on.
    /// The caller writes the audit event that says who wanted it.
    /// - Returns: the deletion as it is now.
    @discardableResult
    func beginDeletion(
        of account: AccountID, source: DeletionSource, due: Timestamp, _ deletions: DeletionContext
    ) throws -> StoredDeletion {
        let former = try deletion(of: account)
        let before: DeletionState = former?.state ?? .none
        let after = DeletionRule.state(before, after: .requested(due: due), at: at)
        if let former, after == before {
            return try takeOverOwnersRequest(former, for: source, due: due)
        }
        var deletion: StoredDeletion
        if let former {
            deletion = former
        } else {
            let vault = try DeletionVault(new: account, deletions)
            deletion = StoredDeletion(
                account: account, state: after, source: source, requestedAt: at, dueAt: due,
                begunAt: nil, nextAttemptAt: at, attempts: 0, sealedKey: vault.sealedKey,
                payload: try vault.seal(DeletionPayload()), keepLink: nil)
            try insert(deletion)
        }
        if case .deleting = after { try begin(&deletion, after) }
        return deletion
    }

    /// Makes a deletion that waits for its owner's request one that `source` requested too: an
    /// owner's is held while the account is suspended, and others are not.
    /// - Returns: the deletion as it is now; unchanged in all other cases.
    private func takeOverOwnersRequest(
        _ deletion: StoredDeletion, for source: DeletionSource, due: Timestamp
    ) throws -> StoredDeletion {
        guard deletion.step == nil, deletion.source == .owner, source != .owner else {
            return deletion
        }
        var taken = deletion
        taken.source = source
        if taken.dueAt <= at {
            // It was held beyond its time. The owner has the new wait to cancel it.
            (taken.state, taken.dueAt) = (.waiting(until: due), due)
            (taken.nextAttemptAt, taken.keepLink) = (at, nil)
        }
        try update(taken)
        return taken
    }

    /// Begins a deletion that a person asks for, as `beginDeletion`, and records who asked; not
    /// again if that changes nothing.
    /// - Parameter signed: Adds to the audit event who asked.
    func requestDeletion(
        of account: AccountID, source: DeletionSource, due: Timestamp, _ deletions: DeletionContext,
        signed: (AuditEvent) -> AuditEvent
    ) throws -> StoredDeletion {
        let former = try deletion(of: account)
        let deletion = try beginDeletion(of: account, source: source, due: due, deletions)
        if former?.state != deletion.state || former?.source != deletion.source {
            try audit(
                signed(
                    AuditEvent(
                        .deletionRequested, account: account.key,
                        attempt: deletion.step == nil ? 1 : nil)))
        }
        return deletion
    }

    /// Begins a deletion whose wait is over.
    /// - Returns: false if it waits longer.
    func beginDueDeletion(_ deletion: inout StoredDeletion) throws -> Bool {
        let after = DeletionRule.state(deletion.state, after: .checked, at: at)
        guard after != deletion.state else { return false }
        try begin(&deletion, after)
        return true
    }

    private func begin(_ deletion: inout StoredDeletion, _ state: DeletionState) throws {
        deletion.state = state
        deletion.dueAt = min(deletion.dueAt, at)
        deletion.begunAt = at
        deletion.nextAttemptAt = at
        deletion.attempts = 0
        deletion.keepLink = nil
        try update(deletion)
        try apply(.beginDeletion, deletion.account)
        try recordEnd(of: deletion.account)
    }

    /// Whether a deletion that waits does not begin yet: its owner or a parent wants it, and the
    /// operator has suspended the account. An operator can begin it (`DeleteAccount`).
    func isHeld(_ deletion: StoredDeletion) throws -> Bool {
        guard deletion.source == .owner || deletion.source == .parent else { return false }
        return try standing(deletion.account)?.isSuspended ?? false
    }

    /// Cancels the deletion of an account that waits (`DeletionRule`), and records it. The links
    /// to delete the account end with it. Attack: someone at the browser in which such a link
    /// was opened, or with its mail, begins another deletion after the owner has cancelled the first.
    /// - Returns: whether one waited until now.
    func cancelDeletion(of account: AccountID, from origin: CallOrigin) throws -> Bool {
        guard let deletion = try deletion(of: account),
            DeletionRule.state(deletion.state, after: .cancelled, at: at) == .none
        else { return false }
        try removeDeletion(of: account)
        try removeLinks(.deleteAccount, of: account)
        try removeLinks(.sessionDeletion, of: account)
        try keepWithoutParent(account)
        try audit(.deletionCancelled, account, from: origin)
        return true
    }
}
