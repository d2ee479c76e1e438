import Cryptography
import IdentityService
import Logging
import ServiceRuntime
import Storage

/// What remains of deleted accounts outside of the store: a line for each, a keyed hash of the
/// account and when its deletion began (G-20). A copy of the store that is older than a deletion
/// has the account again. So every start compares the accounts of its store with the tombstones,
/// before it serves, and begins the deletion of those that have one.
///
///     000102030405060708090a0b0c0d0e0f 1735689600123
///
/// The file is in each folder of the setting `tombstones`, the same in all. A line that is missing
/// in one, which was lost or is new, is copied there at the start. A day after its time
/// (`tombstones-kept`) a line is left out: a guest and its deletion are a line each, and strangers
/// can make as many as the limits on guests allow.
package struct Tombstones: Sendable {
    /// The file's name in each folder.
    package static let fileName = "tombstones.txt"
    /// The folder in the data folder, if none is set.
    package static let folderName = "tombstones"
    /// Accounts that are compared between two reads of the store.
    private static let accountsAtOnce: Int64 = 1_000
    /// The time between two searches for lines that are too old.
    static let interval: Duration = .seconds(86_400)

    private let files: [LineFile]
    private let lines: LineFiles
    private let hash: KeyedHash
    private let retention: Duration?
    private let time: any Time
    private let logger: Logger

    /// Opens the files and completes each by the lines of the others.
    /// - Parameter retention: How long a line is kept after the beginning of its deletion; nil for
    ///   ever. Longer than any backup: an older one brings the deleted accounts back.
    /// - Throws: `SQLError` for a folder that cannot be written, since an account that comes back
    ///   is worse than a start that fails; `OSThread.NotStarted`.
    init(
        folders: [String], keys: IdentityKeys, keptFor retention: Duration?, time: any Time,
        logger: Logger
    ) throws {
        files = try folders.map { try LineFile("\($0)/\(Self.fileName)") }
        lines = try LineFiles(files)
        hash = keys.tombstones
        self.retention = retention
        self.time = time
        self.logger = logger
        // Before anything is written by the thread.
        if files.count > 1 { try complete() }
    }

    /// Records that the deletion of an account has begun. It is on disk in every folder when this
    /// returns. A repeat is another line, which does no harm.
    /// - Throws: `rpc/unavailable` when a disk fails, `rpc/resource-exhausted`.
    func add(_ account: AccountID, at moment: Timestamp) async throws {
        try await lines.append(Tombstone(key(of: account), at: moment).line)
    }

    /// Leaves out the lines that are too old, once a day.
    var duty: Duty {
        Duty("tombstones", every: Self.interval) { [self] in
            let count = try await forgetOld()
            guard count > 0 else { return false }
            logger.info(
                "identity.tombstones.forgotten",
                "tombstones older than the setting tombstones-kept were left out of the files",
                fields: [.count: .count(count)])
            return false
        }
    }

    /// Rewrites the files without the lines that are too old. A line of another form stays: it may
    /// be of a newer version.
    /// - Returns: how many lines were left out of all files together.
    /// - Throws: as `add`.
    func forgetOld() async throws -> Int {
        guard let oldest else { return 0 }
        return try await lines.keep { line in
            Tombstone(line: line).map { $0.at >= oldest } ?? true
        }
    }

    /// Lines from before this moment are left out.
    private var oldest: Timestamp? { retention.map { time.now() - $0 } }

    /// Ends the thread that writes.
    func close() { lines.close() }

    /// Begins the deletion of every account of the store that has a tombstone; does nothing about
    /// those whose deletion has begun. To be called before anything serves the store.
    /// - Throws: `SQLError`; errors of the store.
    func replay(in store: Store, _ deletions: DeletionContext) async throws {
        guard let first = files.first else { return }
        warnOfOldCopy(store)
        let known = Set(try read(first).map(\.key))
        var (after, returned) = (Int64(0), 0)
        while !known.isEmpty {
            let page = try await store.read { [after] session in
                try session.accountIDs(after: after, limit: Self.accountsAtOnce)
            }
            guard let last = page.last else { break }
            after = last.key
            let deleted = page.filter { known.contains(key(of: $0)) }
            if deleted.isEmpty { continue }
            returned += try await store.write(about: deleted.map { .account($0) }) {
                try $0.beginDeletions(of: deleted, deletions)
            }
        }
        guard returned > 0 else { return }
        logger.warning(
            "identity.tombstones.replayed",
            "the store has accounts whose deletion had begun: they are being deleted",
            fields: [.count: .count(returned)])
    }

    /// The accounts whose tombstones were left out between the backup and now cannot be known. By
    /// the machine's clock: after an old backup the service's time goes on from that of the backup.
    private func warnOfOldCopy(_ store: Store) {
        guard store.isRestoredCopy, let retention, let last = store.lastMoment,
            last < time.wallClock() - retention
        else { return }
        logger.error(
            "identity.tombstones.too-short",
            """
            the restored copy is older than the tombstones that are kept (tombstones-kept): \
            accounts that were deleted soon after the backup may have come back
            """, fields: [.setting: .text("tombstones-kept")])
    }

    /// Appends to each file what only others have, but for lines that are too old: a crash may have
    /// left them in one file of several.
    private func complete() throws {
        let found = try files.map(read)
        let all = found.reduce(into: Set()) { $0.formUnion($1) }
            .filter { $0.at >= oldest ?? $0.at }
        for (file, own) in zip(files, found) {
            let missing = all.subtracting(own).sorted { $0.at < $1.at }
            if missing.isEmpty { continue }
            try file.append(missing.flatMap(\.line))
            logger.warning(
                "identity.tombstones.completed",
                "a folder lacked tombstones that another one has: they were copied",
                fields: [.file: .text(file.path), .count: .count(missing.count)])
        }
    }

    private func read(_ file: LineFile) throws -> Set<Tombstone> {
        var (found, damaged) = (Set<Tombstone>(), 0)
        try file.forEachLine { line in
            if let tombstone = Tombstone(line: line) {
                found.insert(tombstone)
            } else {
                damaged += 1
            }
        }
        if damaged > 0 {
            logger.error(
                "identity.tombstones.damaged",
                "a file has lines that are no tombstones: check the disk",
                fields: [.file: .text(file.path), .count: .count(damaged)])
        }
        return found
    }

    private func key(of account: AccountID) -> Tombstone.Key {
        let (first, second) = withUnsafeBytes(of: account.key.bigEndian) {
            hash.lookUpNumbers(of: $0)
        }
        return Tombstone.Key(first: first, second: second)
    }
}

extension Transaction {
    /// - Returns: how many deletions have begun with this call.
    fileprivate func beginDeletions(
        of accounts: [AccountID], _ deletions: DeletionContext
    ) throws -> Int {
        var begun = 0
        for account in accounts where try standing(account)?.isDeleting == false {
            // One that waits in the copy was carried out since, with its last mail.
            try removeDeletion(of: account)
            try beginDeletion(of: account, source: .tombstone, due: at, deletions)
            begun += 1
        }
        return begun
    }
}

/// A line of the file of tombstones.
struct Tombstone: Hashable, Sendable {
    /// The first 16 bytes of the keyed hash of an account.
    struct Key: Hashable, Sendable {
        let first: UInt64
        let second: UInt64
    }

    private static let separator = UInt8(ascii: " ")

    let key: Key
    /// When the deletion began.
    let at: Timestamp

    init(_ key: Key, at moment: Timestamp) {
        self.key = key
        at = moment
    }

    /// Nil for a line of another form.
    init?(line: ArraySlice<UInt8>) {
        let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 2, let hash = Hex.decode(parts[0]),
            hash.count == KeyedHash.lookUpKeyBytes,
            let milliseconds = Int64(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        key = Key(first: number(hash[..<8]), second: number(hash[8...]))
        at = Timestamp(milliseconds: milliseconds)
    }

    /// The line with its end: hexadecimal hash, space, milliseconds since 1970.
    var line: [UInt8] {
        let bytes = [key.first, key.second].flatMap(\.bigEndianBytes)
        return Array("\(Hex.encode(bytes)) \(at.milliseconds)\n".utf8)
    }
}
