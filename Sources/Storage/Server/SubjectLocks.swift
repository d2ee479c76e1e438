import Cryptography

/// The locks by which flows about one subject exclude each other on a server: advisory locks of the
/// transaction, which end with it.
///
/// They are taken by a statement of their own, before the first read. In one statement with it the
/// snapshot would be older than the lock.
struct SubjectLocks: Sendable {
    /// Takes locks one after the other, in the order of the arrays: keys, and whether each lock is
    /// shared.
    static let sql = """
        SELECT CASE WHEN s THEN pg_advisory_xact_lock_shared(k) ELSE pg_advisory_xact_lock(k) END
        FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS boolean[])) AS wanted (k, s)
        """

    /// Tables that some flows decide about as a whole, and others by their rows. A flow about a row
    /// shares the table's lock, so that the table's flows exclude it. Not for all tables: a lock
    /// that each refresh shares would be one hot spot.
    private static let tablesWithRows: Set<String> = ["webhook"]

    private let schema: [UInt8]

    /// The locks of a schema's subjects.
    init(schema: String) { self.schema = Array(schema.utf8) }

    /// The locks of these subjects, in the order in which every flow takes them: two flows that
    /// declare the same subjects never wait for each other.
    func locks(of subjects: [Subject]) -> [Lock] {
        if subjects.count == 1 { return locks(of: subjects[0]).sorted { $0.key < $1.key } }
        var found: [Int64: Bool] = [:]
        for subject in subjects {
            for lock in locks(of: subject) {
                found[lock.key] = (found[lock.key] ?? true) && lock.isShared
            }
        }
        return found.map { Lock(key: $0.key, isShared: $0.value) }.sorted { $0.key < $1.key }
    }

    private func locks(of subject: Subject) -> [Lock] {
        switch subject {
        case .account(let account): [Lock(key: key("account", account.bigEndianBytes))]
        case .hash(let hash): [Lock(key: key("hash", hash))]
        case .table(let table): [Lock(key: key("table", Array(table.utf8)))]
        case .row(let table, let row):
            [Lock(key: key("row", Array(table.utf8) + [0] + row.bigEndianBytes))]
                + (Self.tablesWithRows.contains(table)
                    ? [Lock(key: key("table", Array(table.utf8)), isShared: true)] : [])
        case .expired: []
        }
    }

    /// The key of a lock: the same on all instances and in all versions.
    func key(_ kind: String, _ name: [UInt8] = []) -> Int64 {
        let hash = SHA256.hash(DelimitedParts.joined([schema, Array(kind.utf8), name]))
        return Int64(bitPattern: hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// One lock.
    struct Lock: Hashable, Sendable {
        let key: Int64
        var isShared = false
    }
}

extension SubjectLocks.Lock {
    /// The parameters of `SubjectLocks.sql`, as PostgreSQL's binary arrays.
    static func parameters(_ locks: [SubjectLocks.Lock]) -> [SQLValue] {
        var keys = head(of: ServerType.integer, locks.count)
        var kinds = head(of: ServerType.boolean, locks.count)
        for lock in locks {
            keys.append(bigEndian: Int32(8))
            keys.append(bigEndian: lock.key)
            kinds.append(bigEndian: Int32(1))
            kinds.append(lock.isShared ? 1 : 0)
        }
        return [.blob(keys), .blob(kinds)]
    }

    /// One dimension, no nulls, the type, the count, the index of the first.
    private static func head(of type: UInt32, _ count: Int) -> [UInt8] {
        var head: [UInt8] = []
        for word in [1, 0, type, UInt32(count), 1] { head.append(bigEndian: word) }
        return head
    }
}
