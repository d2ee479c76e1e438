import Addresses
import Contracts
import Cryptography
import IdentityService
import Logging
import Messages
import PersonalData
import RPC
import ServiceRuntime
import Storage

/// Performs the steps of a deletion (G-20): `DeletionStep` lists them, and what a crash in each
/// leaves. A step makes its change, then commits that it is done, in one transaction where the
/// change is in this store. So after a crash a step is repeated, and each can be.
struct DeletionSteps: Sendable {
    /// How long a deletion waits for the app's backend, from its begin.
    static let backendWaitMax: Duration = .seconds(72 * 3_600)
    /// For one call of another service. Their own commits take milliseconds.
    private static let timeout: Duration = .seconds(10)
    /// Documents that one transaction deletes: sign-ins wait for no longer than its commit.
    private static let documentsAtOnce: Int64 = 200
    /// Guests that one read finds.
    private static let guestsAtOnce: Int64 = 32

    let settings: IdentitySettings
    /// Whether a deletion waits for the app's backend.
    let awaitsBackend: Bool
    let store: Store
    let writer: AccountWriter
    let deletions: DeletionContext
    let peers: IdentityPeers
    let tombstones: Tombstones
    let blobs: any BlobStore
    let grants: GrantDelivery
    let time: any Time
    let logger: Logger

    /// Does the step that is next, and commits that it is done; or commits when to look again.
    /// - Throws: errors of the store and of the other services. The step can be repeated.
    func perform(_ step: DeletionStep, of deletion: StoredDeletion) async throws {
        switch step {
        case .tombstone: try await writeTombstone(deletion)
        case .release: try await release(deletion)
        case .sessions: try await endSessions(deletion)
        case .pushDevices: try await revokePushDevices(deletion)
        case .backend: try await awaitBackend(deletion)
        case .content: try await deleteContent(deletion)
        case .otherServices: try await forgetElsewhere(deletion)
        case .rows: try await deleteRows(deletion)
        case .notice: try await notify(deletion)
        case .grants: try await revokeGrants(deletion)
        case .end: try await end(deletion)
        }
    }

    /// Commits that a step is done, with its change.
    private func finish(
        _ step: DeletionStep, _ deletion: StoredDeletion,
        _ change: @escaping @Sendable (Transaction, inout StoredDeletion) throws -> Void = {
            _, _ in
        }
    ) async throws {
        let account = deletion.account
        try await store.write(about: [.account(account)]) {
            try $0.finish(step, of: account, change)
        }
    }

    /// What earlier steps have noted of the account.
    private func payload(_ deletion: StoredDeletion) throws -> DeletionPayload {
        try DeletionVault(of: deletion, deletions).open(deletion.payload)
    }

    /// The context of a call of another service. Its key is the same in each try.
    private func context(_ step: DeletionStep, _ deletion: StoredDeletion) -> CallContext {
        var metadata = Metadata()
        let name = "deletion\0\(deletion.account.key)\0\(deletion.begunAt?.milliseconds ?? 0)"
        metadata[Metadata.Key.idempotencyKey] = Base64URL.encode(
            deletions.keys.calls.lookUpKey(Array("\(name)\0\(step.name)".utf8)))
        return .byIdentity(deadline: time.uptime() + Self.timeout, metadata: metadata)
    }
}

extension DeletionSteps {
    /// On disk before anything that cannot be undone. A deletion that a tombstone began has one.
    private func writeTombstone(_ deletion: StoredDeletion) async throws {
        let account = deletion.account
        if deletion.source != .tombstone {
            try await tombstones.add(account, at: deletion.startedAt)
        }
        try await finish(.tombstone, deletion) { transaction, _ in
            try transaction.audit(AuditEvent(.deletionBegun, account: account.key))
        }
    }

    /// Releases email, phone and identities: from its commit on the same person can sign up again.
    /// What later steps need is sealed in the row of the deletion.
    private func release(_ deletion: StoredDeletion) async throws {
        let (account, vault) = (deletion.account, try DeletionVault(of: deletion, deletions))
        let release = DeletionRelease(writer: writer, logger: logger)
        try await finish(.release, deletion) { transaction, row in
            row.payload = try vault.seal(release.run(account, transaction))
        }
    }

    private func endSessions(_ deletion: StoredDeletion) async throws {
        let generation = try await store.read { try $0.sessionGeneration(of: deletion.account) }
        let before = deletion.startedAt + ProofIssuer.afterEnd
        _ = try await peers.sessions.endAccountSessions(
            SessionV1.EndAccountSessionsRequest(
                accountId: deletion.account.text, beforeMs: before.milliseconds,
                reason: .accountDeleted, sessionGeneration: generation ?? 0),
            context(.sessions, deletion))
        try await finish(.sessions, deletion)
    }

    private func revokePushDevices(_ deletion: StoredDeletion) async throws {
        _ = try await peers.pushDevices.revokeAll(
            NotificationV1.RevokeDevicesRequest(accountId: deletion.account.text),
            context(.pushDevices, deletion))
        try await finish(.pushDevices, deletion)
    }

    /// `DeleteAccount` finishes this step, as the backend's answer. One that came before is in the
    /// row.
    private func awaitBackend(_ deletion: StoredDeletion) async throws {
        let account = deletion.account
        guard awaitsBackend, !deletion.isBackendDone else {
            return try await finish(.backend, deletion)
        }
        let until = deletion.startedAt + Self.backendWaitMax
        guard time.now() < until else {
            logger.warning(
                "identity.deletion.unanswered",
                "no backend has answered account.deletion-begun: the deletion goes on",
                fields: [.account: .text(account.text)])
            return try await finish(.backend, deletion) { transaction, _ in
                try transaction.audit(AuditEvent(.deletionUnanswered, account: account.key))
            }
        }
        try await store.write(about: [.account(account)]) { transaction in
            guard var current = try transaction.deletion(of: account), current.step == .backend
            else { return }
            current.nextAttemptAt = until
            try transaction.update(current)
        }
    }

    /// A file goes before its row, so that no crash leaves a file without a name.
    private func deleteContent(_ deletion: StoredDeletion) async throws {
        let account = deletion.account
        try await deleteGuests(of: account)
        var isMore = true
        while isMore {
            isMore = try await store.write(about: [.account(account)]) {
                try $0.deleteDocuments(of: account, limit: Self.documentsAtOnce)
            }
        }
        let files = try await store.read { session in
            [try session.photo(of: account)?.blob, try session.exportFile(of: account)]
                .compactMap(\.self)
        }
        try await blobs.remove(files)
        try await finish(.content, deletion) { transaction, _ in
            try transaction.put("DELETE FROM photos WHERE account = ?", [.integer(account.key)])
            try transaction.deleteExport(of: account)
        }
    }

    /// Begins the deletion of the guests whose documents were kept for the account, or waited to be
    /// moved into it: the person's too, and only rows of the account say when they are deleted.
    private func deleteGuests(of account: AccountID) async throws {
        let deletions = deletions
        while true {
            let guests = try await store.read {
                try $0.remainingGuests(of: account, limit: Self.guestsAtOnce)
            }
            guard !guests.isEmpty else { return }
            for guest in guests {
                try await store.write(about: [.account(account), .account(guest)]) { transaction in
                    // It may have become an account since.
                    guard
                        try transaction.remainingGuests(of: account, limit: Self.guestsAtOnce)
                            .contains(guest)
                    else { return }
                    try transaction.beginDeletion(
                        of: guest, source: .guestData, due: transaction.at, deletions)
                }
            }
            deletions.wake()
        }
    }

    /// Attack: somebody signs up with the address of a person who has stopped our mails, and
    /// deletes the account, so that mails go to the address again. So the notification service
    /// forgets an address only if it was verified. What the limits count by one that was not is
    /// forgotten.
    ///
    /// An address that belongs to another account by now is left out: this step can run days after
    /// `release`, and would delete that account's counters and known devices. Its sign-up has
    /// forgotten the earlier devices. A sign-up by phone does not, so numbers are never left out.
    private func forgetElsewhere(_ deletion: StoredDeletion) async throws {
        let payload = try payload(deletion)
        let keys = deletions.keys
        let isFree = try await store.read { session in
            let key = EmailAddress(payload.email).map { keys.lookUpKey(of: $0) }
            return try key.flatMap { try session.owner(ofAddress: $0) } == nil
        }
        let entered = payload.email.isEmpty || !isFree ? [] : [payload.email]
        let calls: [(peer: any AccountDataAPI, emails: [String])] = [
            (peers.sessionData, entered),
            (peers.notificationData, payload.isEmailProved ? entered : []),
            (peers.rateLimitData, entered),
        ]
        for (peer, emails) in calls {
            let request = AccountDataV1.ForgetAccountDataRequest(
                subject: AccountDataV1.DataSubject(
                    accountId: deletion.account.text, emails: emails,
                    phoneNumbers: payload.phoneNumbers))
            _ = try await peer.forgetAccountData(request, context(.otherServices, deletion))
        }
        try await finish(.otherServices, deletion)
    }

    private func deleteRows(_ deletion: StoredDeletion) async throws {
        let account = deletion.account
        try await finish(.rows, deletion) { transaction, _ in
            _ = try transaction.deleteAccount(account)
        }
    }

    /// With the mail on its way, only the grants are still needed. A deletion that a tombstone
    /// began was notified when it was carried out first.
    private func notify(_ deletion: StoredDeletion) async throws {
        let vault = try DeletionVault(of: deletion, deletions)
        let payload = try vault.open(deletion.payload)
        let rest = try vault.seal(DeletionPayload(grants: payload.grants))
        let mail = DeletionMail(settings: settings, writer: writer)
        try await finish(.notice, deletion) { transaction, row in
            if deletion.source != .tombstone { try mail.done(payload, transaction) }
            row.payload = rest
        }
    }

    /// Tried for as long as any revocation (`Grants.revocationLife`), then given up.
    private func revokeGrants(_ deletion: StoredDeletion) async throws {
        let until = deletion.startedAt + Grants.revocationLife
        for grant in try payload(deletion).grants {
            try await grants.revoke(
                GrantOrder(
                    account: deletion.account, lookUpKey: grant.lookUpKey,
                    provider: grant.provider, client: grant.client, subject: "",
                    secret: grant.token, until: until),
                key: Hex.encode(grant.lookUpKey))
        }
        try await finish(.grants, deletion)
    }

    private func end(_ deletion: StoredDeletion) async throws {
        let account = deletion.account
        try await finish(.end, deletion) { transaction, _ in
            try transaction.audit(AuditEvent(.accountDeleted, account: account.key))
        }
    }
}

extension Transaction {
    /// Deletes documents of an account.
    /// - Returns: whether there may be more.
    fileprivate func deleteDocuments(of account: AccountID, limit: Int64) throws -> Bool {
        try execute(
            """
            DELETE FROM documents WHERE document IN (
                SELECT document FROM documents WHERE account = ?1 LIMIT ?2)
            AND account = ?1
            """, [.integer(account.key), .integer(limit)]) == Int(limit)
    }
}
