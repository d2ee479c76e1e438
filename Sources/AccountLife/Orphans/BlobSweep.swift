import IdentityService
import Logging
import PersonalData
import ServiceRuntime
import Storage

/// Removes the blobs of photos and exports that no row names, at start and every hour, once they
/// are a day old: a crash between a blob and its row, a blob that could not be removed, the export
/// of a former holder, one that has expired. No blob stays without an owner.
///
/// By their age, since another instance may be writing one, or be about to commit its row. That
/// takes minutes at most: an upload is one call, and an export has a minute for each service
/// (`ExportCollection`). In a restored copy it also removes younger ones, if they are older than
/// its first start: no upload is in progress for them, and the exports of the copy are void.
///
/// It also finds the rows whose blob is missing, as after a restore without the files (I-04), and
/// reports them with what `OrphanCheck` finds.
struct BlobSweep: Sendable {
    static let interval: Duration = .seconds(3_600)
    /// How old a blob without a row is when it is removed. Who can fill the disk meanwhile, and how
    /// far: Sources/SECURITY.md, Costs.
    static let age: Duration = .seconds(86_400)
    /// What it finds.
    static let kinds: [OrphanKind] = [.photoWithoutFile, .exportWithoutFile]
    /// Files or rows that one read looks up.
    private static let batch = 256

    let store: Store
    let blobs: any BlobStore
    let findings: OrphanFindings
    let time: any Time
    let logger: Logger
    /// When this process has started.
    let startedAt: Timestamp

    /// Its name says photos alone, as the event `identity.photos.swept` does. Both are in operators'
    /// logs, so they stay.
    var duty: Duty {
        Duty("photos", every: Self.interval) {
            try await sweep()
            return false
        }
    }

    /// Removes files without a row, and finds rows without a file.
    /// - Throws: errors of the store; `rpc/unavailable` when the disk fails.
    func sweep() async throws {
        let listed = try await removeFiles()
        var found = OrphanFindings.Found()
        for kind in Self.kinds { try await findRows(kind, without: listed, &found) }
        findings.replace(Self.kinds, with: found, endedAt: time.now())
        guard found.sum > 0 else { return }
        logger.error(
            "identity.orphans.files", "files of photos and exports are missing",
            fields: [.count: .integer(found.sum)])
    }

    /// - Returns: all blobs that are old enough, of which those without a row are removed.
    private func removeFiles() async throws -> Set<BlobName> {
        let old = time.now() - Self.age
        let listed = try await blobs.names(
            begunBy: store.isRestoredCopy ? max(old, startedAt) : old)
        var rest = listed[...]
        var removed = 0
        while !rest.isEmpty {
            let names = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            let orphans = try await store.read { session in
                try names.filter { try !session.isOwned($0) }
            }
            try await blobs.remove(orphans)
            removed += orphans.count
        }
        if removed > 0 {
            findings.countSwept(removed)
            logger.info(
                "identity.photos.swept", "removed files of photos and exports that no account has",
                fields: [.count: .count(removed)])
        }
        return Set(listed)
    }

    /// Finds the rows of a kind whose file is missing.
    ///
    /// A file is there before its row and until after it, and no name is used twice. So one that is
    /// not there between two reads that both find its row is missing. Only a deletion removes the
    /// file first; from before that on the account is being deleted.
    /// - Parameter listed: Blobs that need no such look.
    private func findRows(
        _ kind: OrphanKind, without listed: Set<BlobName>, _ found: inout OrphanFindings.Found
    ) async throws {
        var last = Int64(0)
        while true {
            let after = last
            let rows = try await store.read {
                try $0.filesNamed(kind, after: after, limit: Self.batch)
            }
            guard let end = rows.last else { return }
            last = end.account.key
            var missing: [NamedFile] = []
            for row in rows {
                guard let blob = row.blob, !listed.contains(blob),
                    try await blobs.isMissing(blob)
                else { continue }
                missing.append(row)
            }
            let candidates = missing
            guard !candidates.isEmpty else { continue }
            let confirmed = try await store.read { session in
                try candidates.filter { try session.isNamed($0, kind) }
            }
            for row in confirmed {
                found.add(Orphan(kind: kind, account: row.account, isRepairable: true))
            }
        }
    }
}

/// A row of a photo or an export.
private struct NamedFile: Sendable {
    let account: AccountID
    /// Nil for an export that is being prepared.
    let blob: BlobName?
}

extension BlobStore {
    /// Whether there is no file of that name.
    /// - Throws: `rpc/unavailable` when the disk fails.
    func isMissing(_ name: BlobName) async throws -> Bool {
        try await read(name, at: 0, count: 1) == nil
    }
}

extension SQLSession {
    /// The next rows that name a file, by account.
    fileprivate func filesNamed(
        _ kind: OrphanKind, after key: Int64, limit: Int
    ) throws -> [NamedFile] {
        let rows =
            kind == .photoWithoutFile
            ? "SELECT account, blob FROM photos WHERE account > ? ORDER BY account LIMIT ?"
            : "SELECT account, blob FROM exports WHERE account > ? ORDER BY account LIMIT ?"
        return try query(rows, [.integer(key), .integer(Int64(limit))]) { row in
            NamedFile(
                account: try AccountID(stored: row.integer("account")),
                blob: try row.optionalText("blob").flatMap { BlobName($0) })
        }
    }

    /// Whether the row still names the file, and its account is not being deleted.
    fileprivate func isNamed(_ row: NamedFile, _ kind: OrphanKind) throws -> Bool {
        guard try standing(row.account)?.isDeleting != true else { return false }
        let named =
            kind == .photoWithoutFile
            ? "SELECT 1 FROM photos WHERE account = ? AND blob = ?"
            : "SELECT 1 FROM exports WHERE account = ? AND blob = ?"
        return try queryOne(
            named, [.integer(row.account.key), .text(row.blob?.text ?? "")]
        ) { _ in true } ?? false
    }
}
