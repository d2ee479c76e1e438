import Foundation
import Storage
import TestSupport

/// What the stores and the blobs of a fixture take on the disk, in bytes: the pages of each table
/// with its indexes, and the files of blobs. Pages that are free are not counted.
struct StoredBytes: Sendable, CustomStringConvertible {
    /// `identity.documents`, `identity.blobs` …
    private(set) var parts: [String: Int] = [:]

    init(_ fixture: GatewayFixture) async throws {
        let inner = fixture.inner
        let stores = [
            ("identity", inner.identityStore), ("session", inner.sessionStore),
            ("notification", inner.notificationStore),
        ]
        for (name, store) in stores {
            let tables = try await store.read { session in
                try session.query(
                    """
                    SELECT master.tbl_name AS name, sum(pages.pgsize) AS bytes FROM dbstat AS pages
                    JOIN sqlite_master AS master ON master.name = pages.name
                    GROUP BY master.tbl_name
                    """, []
                ) { (name: try $0.text("name"), bytes: Int(try $0.integer("bytes"))) }
            }
            for table in tables { parts["\(name).\(table.name)"] = table.bytes }
        }
        let blobs = URL(filePath: "\(inner.identityStore.folder)/blobs")
        parts["identity.blobs"] = try FileManager.default.contentsOfDirectory(
            at: blobs, includingPropertiesForKeys: [.fileSizeKey]
        ).reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
    }

    /// Their sum.
    var all: Int { parts.values.reduce(0, +) }

    /// What was added since `before`.
    func since(_ before: StoredBytes) -> StoredBytes {
        var added = self
        for (part, bytes) in before.parts { added.parts[part, default: 0] -= bytes }
        return added
    }

    var description: String {
        parts.filter { $0.value != 0 }.sorted { $0.value > $1.value }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
