package import ServiceRuntime
import Synchronization

/// Blobs as rows of a store on a server: one for each blob, and one for each of its parts, under
/// the offset at which it begins. Backups, replication and erasure are those of the store.
///
/// A blob that is written at once is one transaction. One that grows is a transaction for each
/// part, and is not complete until the last one.
///
/// Flows about one blob exclude each other (`BlobName.subject`). Those that carry bytes wait in the
/// store's line for bulk, in turns by blob, and never have more than half of its connections.
package struct BlobRows: BlobStore {
    /// The bytes of one row: a sealed part of a photo or an archive is one, 64 KiB and its seal.
    static let partBytesMax = 65 * 1_024
    /// Rows that are sent before an answer is awaited: a megabyte, which a slow network also
    /// carries within the time that an answer may take (`ServerConnection.answerMax`).
    fileprivate static let partsAtOnce = 16
    /// Rows of parts that one flow removes: 16 MiB, some milliseconds.
    static let removedAtOnce = 256
    /// Names that one read returns.
    private static let namesAtOnce = 4_096

    private let store: Store

    /// The blobs of a store on a server. They end with it.
    init(of store: Store) { self.store = store }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func write(_ name: BlobName, _ parts: [[UInt8]]) async throws {
        try await store.write(about: [name.subject], bulkBytes: parts.bulkBytes) { transaction in
            try transaction.insert(name, isComplete: true)
            try transaction.insert(parts, of: name, from: 0)
        }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func begin(_ name: BlobName) async throws -> any BlobDraft {
        try await store.write(about: [name.subject]) { try $0.insert(name, isComplete: false) }
        return DraftRows(name, in: store)
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func read(_ name: BlobName, at offset: Int, count: Int) async throws -> [UInt8]? {
        try await store.read { try $0.bytes(of: name, at: offset, count: count) }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func remove(_ names: [BlobName]) async throws {
        for name in names {
            var isMore = true
            while isMore {
                // Their rows are gone already.
                isMore = try await store.write(
                    about: [name.subject], bulkBytes: 1, evenIfCancelled: true
                ) { try $0.remove(name) }
            }
        }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func names(begunBy moment: Timestamp) async throws -> [BlobName] {
        var names: [BlobName] = []
        while true {
            let last = names.last
            let page = try await store.read { session in
                try session.blobs(begunBy: moment, after: last, limit: Self.namesAtOnce)
            }
            names += page
            guard page.count == Self.namesAtOnce else { return names }
        }
    }

    /// The tables, for a migration that makes nothing in a file. `at` is where a part begins.
    /// Sealed bytes do not compress, so nothing tries to (`EXTERNAL`).
    package static let tables = """
        CREATE TABLE blob (
            name TEXT PRIMARY KEY,
            begun_at_ms BIGINT NOT NULL,
            is_complete BIGINT NOT NULL
        );
        CREATE TABLE blob_part (
            name TEXT NOT NULL REFERENCES blob,
            at BIGINT NOT NULL,
            bytes BYTEA NOT NULL,
            PRIMARY KEY (name, at)
        );
        ALTER TABLE blob_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
        """
}

/// A blob that grows in rows.
private final class DraftRows: BlobDraft {
    private let name: BlobName
    private let store: Store
    /// Where the next part begins.
    private let end = Atomic<Int>(0)

    init(_ name: BlobName, in store: Store) {
        (self.name, self.store) = (name, store)
    }

    func append(_ bytes: [UInt8]) async throws {
        let (name, start) = (name, end.load(ordering: .relaxed))
        try await store.write(about: [name.subject], bulkBytes: [bytes].bulkBytes) {
            try $0.insert([bytes], of: name, from: start)
        }
        end.store(start + bytes.count, ordering: .relaxed)
    }

    func complete() async throws {
        let name = name
        let isComplete = try await store.write(about: [name.subject]) { try $0.complete(name) }
        guard isComplete else {
            throw ServiceError(.unavailable, detail: "a blob was removed while it was written")
        }
    }
}

extension BlobName {
    /// What a flow about the blob declares: it is known by a random name only.
    fileprivate var subject: Subject { .hash(Array(text.utf8)) }
}

extension [[UInt8]] {
    /// As `Store.write` wants it, at least 1.
    fileprivate var bulkBytes: Int { Swift.max(1, reduce(0) { $0 + $1.count }) }
}

extension SQLSession {
    /// Bytes of a complete blob; nil if there is none. The first part is the one that begins last
    /// before the offset, or at it. A blob without parts is one row of nulls.
    fileprivate func bytes(of name: BlobName, at offset: Int, count: Int) throws -> [UInt8]? {
        let parts = try query(
            """
            SELECT blob_part.at, blob_part.bytes FROM blob
            LEFT JOIN blob_part ON blob_part.name = blob.name AND blob_part.at < ?3
                AND blob_part.at >= (
                    SELECT coalesce(max(at), 0) FROM blob_part WHERE name = ?1 AND at <= ?2)
            WHERE blob.name = ?1 AND blob.is_complete = 1
            ORDER BY blob_part.at NULLS FIRST
            """,
            [.text(name.text), .integer(Int64(offset)), .integer(Int64(offset + count))]
        ) { (at: Int(try $0.optionalInteger(0) ?? 0), bytes: try $0.optionalBlob(1) ?? []) }
        guard !parts.isEmpty else { return nil }
        var found: [UInt8] = []
        for part in parts {
            found += part.bytes.dropFirst(max(0, offset - part.at)).prefix(count - found.count)
        }
        return found
    }

    /// The next names, by name.
    fileprivate func blobs(
        begunBy moment: Timestamp, after last: BlobName?, limit: Int
    ) throws -> [BlobName] {
        try query(
            "SELECT name FROM blob WHERE name > ? AND begun_at_ms <= ? ORDER BY name LIMIT ?",
            [.text(last?.text ?? ""), SQLValue(moment), .integer(Int64(limit))]
        ) { row in
            guard let name = BlobName(try row.text(0)) else {
                throw SQLError(.unexpectedValue, detail: "blob.name")
            }
            return name
        }
    }
}

extension Transaction {
    fileprivate func insert(_ name: BlobName, isComplete: Bool) throws {
        try put(
            "INSERT INTO blob (name, begun_at_ms, is_complete) VALUES (?, ?, ?)",
            [.text(name.text), SQLValue(at), SQLValue(isComplete)])
    }

    /// Inserts parts that follow each other from an offset on.
    fileprivate func insert(_ parts: [[UInt8]], of name: BlobName, from start: Int) throws {
        let insert = "INSERT INTO blob_part (name, at, bytes) VALUES (?, ?, ?)"
        var (offset, rows) = (start, 0)
        for part in parts {
            var rest = part[...]
            while !rest.isEmpty {
                let row = Array(rest.prefix(BlobRows.partBytesMax))
                let values: [SQLValue] = [.text(name.text), .integer(Int64(offset)), .blob(row)]
                rows += 1
                if rows.isMultiple(of: BlobRows.partsAtOnce) {
                    _ = try execute(insert, values)
                } else {
                    try put(insert, values)
                }
                offset += row.count
                rest = rest.dropFirst(row.count)
            }
        }
    }

    /// - Returns: false if there is no such draft any more.
    fileprivate func complete(_ name: BlobName) throws -> Bool {
        let changed = try execute(
            "UPDATE blob SET is_complete = 1 WHERE name = ? AND is_complete = 0",
            [.text(name.text)])
        return changed == 1
    }

    /// Removes some parts of a blob, and the blob with the last of them. From the first of several
    /// such flows on it cannot be read.
    /// - Returns: whether there may be more.
    fileprivate func remove(_ name: BlobName) throws -> Bool {
        let key: [SQLValue] = [.text(name.text)]
        try put("UPDATE blob SET is_complete = 0 WHERE name = ? AND is_complete = 1", key)
        let removed = try execute(
            """
            DELETE FROM blob_part WHERE name = ?1 AND at IN (
                SELECT at FROM blob_part WHERE name = ?1 ORDER BY at LIMIT ?2)
            """, key + [.integer(Int64(BlobRows.removedAtOnce))])
        guard removed < BlobRows.removedAtOnce else { return true }
        try put("DELETE FROM blob WHERE name = ?", key)
        return false
    }
}
