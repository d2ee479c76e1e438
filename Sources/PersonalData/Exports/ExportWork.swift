import Contracts
import IdentityService
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// Prepares the exports that were ordered, in the background (G-21). It is woken after the commit
/// of an order.
///
///     attempt counted, next one set → archive written → row, mail and audit event in one commit
///
/// An attempt that fails, or that a crash ends, leaves an export whose next attempt is due later;
/// that begins a new archive. The blob of the failed one is removed, and after a crash it is one
/// that no row names (`BlobSweep`). So at each moment there is one export, and one mail.
struct ExportWork: AccountWriting, Sendable {
    /// Exports under way at once: each takes some 0.5 MiB and the reads of a whole account.
    private static let atOnceMax = 4
    /// How often it looks for repetitions that are due: as soon as the first can be.
    private static let interval = ExportState.retryMin

    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let logger: Logger
    let blobs: any BlobStore
    let collection: ExportCollection
    /// The streams to wake after each change.
    let watchers: AccountWatchers
    private let signal = WakeSignal()

    /// Looks for work at once. Called after the commit of an order.
    func wake() { signal.wake() }

    /// Prepares the exports that are due.
    var duty: Duty {
        Duty("exports", every: Self.interval, wokenBy: signal) { try await prepareDue() }
    }

    /// Makes one attempt at each of the exports that are due, a few at once.
    /// - Returns: whether there were any.
    /// - Throws: errors of the store, also if an attempt could not be counted: it stays due. A
    ///   failed attempt is logged, and repeated later.
    func prepareDue() async throws -> Bool {
        let now = time.now()
        let due = try await store.read { try $0.exportsDue(at: now, limit: Int64(Self.atOnceMax)) }
        var failure: (any Error)?
        await withDiscardingTaskGroup { group in
            for export in due {
                do {
                    guard let row = try await begin(export) else { continue }
                    group.addTask { await attempt(export, row) }
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return !due.isEmpty
    }

    private func attempt(_ export: StoredExport, _ row: AccountRow) async {
        do {
            try await prepare(export, row)
        } catch {
            // A shutdown cut it off; the next start makes another attempt.
            if Task.isCancelled { return }
            logger.warning(
                "identity.export.failed", "an export could not be prepared; it is retried",
                fields: [
                    .account: .text(export.account.text),
                    .attempt: .count(Int(clamping: export.attempts) + 1), .detail: .error(error),
                ])
        }
    }

    private func prepare(_ export: StoredExport, _ row: AccountRow) async throws {
        let account = try reader.message(row, lastSignInAt: nil)
        // What is known by an address that is not verified may be another person's.
        let subject = AccountDataV1.DataSubject(
            accountId: account.accountId, emails: account.emailVerified ? [account.email] : [],
            phoneNumbers: [account.phoneNumber].filter { !$0.isEmpty })
        let vault = try reader.vault(row)
        let archive = try await write(subject, in: export.voice, vault)
        let isReady = try await blobs.keep(archive.blob) {
            try await commit(export.id, of: row.account, archive.blob, bytes: archive.bytes)
        }
        // It was cancelled meanwhile. If this fails, the sweep removes the blob.
        if !isReady { try await blobs.remove([archive.blob]) }
        watchers.changed(export.account)
    }

    /// Writes an archive. One that fails is removed.
    private func write(
        _ subject: AccountDataV1.DataSubject, in voice: String, _ vault: AccountVault
    ) async throws -> (blob: BlobName, bytes: Int64) {
        let blob = BlobName(drawnFrom: randomness)
        do {
            var archive = try await ExportArchiveWriter(blob, in: blobs, vault)
            let bytes = try await collection.write(
                subject, in: Voice(tag: voice) ?? .english, to: &archive)
            return (blob, bytes)
        } catch {
            // The sweep removes one that stays.
            try? await blobs.remove([blob])
            throw error
        }
    }

    /// Counts the attempt and sets the time of the next one, before anything is done: an attempt
    /// that ends the process is not repeated at once.
    /// - Returns: the account; nil if the export was cancelled or is ready.
    private func begin(_ export: StoredExport) async throws -> AccountRow? {
        try await store.write(about: [.account(export.account)]) { transaction in
            guard
                let current = try transaction.export(of: export.account, at: transaction.at),
                current.id == export.id, current.state.isPreparing,
                let row = try transaction.account(export.account)
            else { return nil }
            let attempts = current.attempts + 1
            try transaction.update(
                current.with(.begun(attempts: attempts, at: transaction.at), attempts: attempts))
            return row
        }
    }

    /// Makes the export ready, and mails the link.
    /// - Returns: false if it was cancelled, or the account's deletion has begun.
    private func commit(
        _ id: ExportID, of account: AccountID, _ blob: BlobName, bytes: Int64
    ) async throws -> Bool {
        let token = LinkToken.drawn(from: randomness)
        return try await store.write(about: [.account(account)]) { transaction in
            guard let export = try transaction.export(of: account, at: transaction.at),
                export.id == id, export.state.isPreparing,
                let row = try transaction.account(account), row.status != .deleting
            else { return false }
            let expiresAt = transaction.at + ExportState.life
            let archive = ExportArchive(blob: blob, bytes: bytes, expiresAt: expiresAt)
            try transaction.update(export.with(.ready(archive), attempts: export.attempts))
            try transaction.audit(AuditEvent(.exportReady, account: account.key))
            // An account without an address learns it from the app. Attack: accounts that name a
            // victim's address order exports, and each mail reaches the victim.
            if row.address?.provedAt != nil,
                let mail = try LinkMail(
                    .export, token, to: row, settings, writer, at: transaction.at,
                    until: expiresAt)
            {
                try transaction.send(mail)
            }
            return true
        }
    }
}

extension StoredExport {
    /// The same export in another state.
    fileprivate func with(_ state: ExportState, attempts: Int64) -> StoredExport {
        StoredExport(
            id: id, account: account, state: state, requestedAt: requestedAt, voice: voice,
            attempts: attempts)
    }
}
