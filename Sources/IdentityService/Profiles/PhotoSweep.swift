import Logging
import ServiceRuntime
import Storage

/// Removes the files of photos and exports that no row names, at start and every hour: a crash
/// between a file and its row, a file that could not be removed, an account that was deleted, an
/// export that has expired. No blob stays without an owner.
struct PhotoSweep: Sendable {
    static let interval: Duration = .seconds(3_600)
    /// Files that one read looks up.
    private static let batch = 256

    let store: Store
    let blobs: any BlobStore
    let uploads: PhotoUploads
    let findings: OrphanFindings
    let logger: Logger

    var duty: Duty {
        Duty("photos", every: Self.interval) {
            try await sweep()
            return false
        }
    }

    /// The order of the three looks matters: a file that was listed and belongs to no upload any
    /// more has its row by then, or never gets one.
    func sweep() async throws {
        let listed = try await blobs.names()
        let underWay = uploads.blobs
        var rest = listed.filter { !underWay.contains($0) }[...]
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
        guard removed > 0 else { return }
        findings.countSwept(removed)
        logger.info(
            "identity.photos.swept", "removed files of photos and exports that no account has",
            fields: [.count: .count(removed)])
    }
}
