import Glibc
package import ServiceRuntime
import Synchronization

/// Blobs as files of a folder beside the store. Files are read and written on threads of its own,
/// since a disk may block for long.
///
/// A file's time of modification is when it was begun, by the program's clock.
package final class BlobFolder: BlobStore {
    /// The folder's name in a data folder.
    package static let name = "blobs"
    /// While it is written, a file has this at the end of its name.
    private static let draftSuffix = ".partial"
    /// More would only wait for the same disk.
    private static let threads = 2
    /// Waiting work; a part of a photo takes microseconds.
    private static let waitingMax = 1_024

    fileprivate let path: String
    fileprivate let time: any Time
    private let queue = WorkQueue<Queued<Void>>(elementsMax: waitingMax, isGone: { $0.isGone })
    private let copies = Mutex(Copies())

    /// The backups that copy, and what was removed meanwhile.
    private struct Copies {
        /// Files whose removal waits for the end of a backup; more are left to the sweep.
        static let removedMax = 65_536

        var count = 0
        var removed: Set<BlobName> = []
    }

    /// Opens the folder, creates it if needed, and removes what a killed process has not completed,
    /// whatever its age: this process holds the lock of the store beside it, so no other process
    /// writes to the folder.
    /// - Parameter folder: the data folder; its store must be open in this process.
    /// - Throws: `SQLError`, `OSThread.NotStarted`.
    package init(in folder: String, time: any Time) throws {
        path = "\(folder)/\(Self.name)"
        self.time = time
        try PrivateFile.makeFolder(path)
        for name in try PrivateFile.names(in: path) where name.hasSuffix(Self.draftSuffix) {
            // One that cannot be removed is left to the sweep.
            unlink("\(path)/\(name)")
        }
        for _ in 0..<Self.threads {
            _ = try OSThread { [queue] in
                while case let works = queue.take(upTo: 1), !works.isEmpty {
                    for work in works { work.perform(()) }
                }
            }
        }
    }

    deinit { queue.close() }

    /// Ends the threads, after the work that waits.
    package func close() { queue.close() }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func write(_ name: BlobName, _ parts: [[UInt8]]) async throws {
        try await perform { [self] in
            do {
                let draft = try DraftFile(name, in: self)
                for part in parts { try draft.add(part) }
                try draft.finish()
            } catch {
                unlink(draft(name))
                throw error
            }
        }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func begin(_ name: BlobName) async throws -> any BlobDraft {
        try await perform { [self] in try DraftFile(name, in: self) }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func read(_ name: BlobName, at offset: Int, count: Int) async throws -> [UInt8]? {
        let file = file(name)
        return try await perform { try Self.open(file, name)?.read(count, at: offset) }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func remove(_ names: [BlobName]) async throws {
        // Their rows are gone already.
        try await perform(evenIfCancelled: true) { [self] in
            for name in names {
                try PrivateFile.remove(draft(name))
                if !isKept(name) { try PrivateFile.remove(file(name)) }
            }
        }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func names(begunBy moment: Timestamp) async throws -> [BlobName] {
        try await perform { [self] in
            try PrivateFile.names(in: path).compactMap { file -> BlobName? in
                let isDraft = file.hasSuffix(Self.draftSuffix)
                let text = isDraft ? file.dropLast(Self.draftSuffix.count) : file[...]
                guard let name = BlobName(text),
                    let begun = try PrivateFile.modified("\(path)/\(file)"), begun <= moment
                else { return nil }
                return name
            }
        }
    }

    fileprivate func file(_ name: BlobName) -> String { "\(path)/\(name.text)" }

    fileprivate func draft(_ name: BlobName) -> String { file(name) + Self.draftSuffix }

    fileprivate func perform<Value: Sendable>(
        evenIfCancelled: Bool = false, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await Queued.value(evenIfCancelled: evenIfCancelled) { (_: Void) in
                try work()
            } offer: { (work) throws(QueueRefusal) in
                try queue.offer(work)
            }
        } catch let refusal as QueueRefusal {
            throw StoreFailure.answer(to: refusal, retryAfter: StoreFailure.retryAfter)
        } catch is CallerGone {
            throw CancellationError()
        }
    }
}

/// What a backup needs.
extension BlobFolder {
    /// Keeps all files until `endCopy`. Call it before the snapshot of the store: a file that is
    /// removed afterwards was named by a row of the snapshot.
    package func beginCopy() { copies.withLock { $0.count += 1 } }

    /// Ends a `beginCopy`. The end of the last one removes what was removed meanwhile.
    package func endCopy() {
        let removed = copies.withLock { copies -> Set<BlobName> in
            copies.count -= 1
            guard copies.count == 0 else { return [] }
            defer { copies.removed = [] }
            return copies.removed
        }
        guard !removed.isEmpty else { return }
        // The sweep removes one that stays.
        Task { try? await remove(Array(removed)) }
    }

    /// Whether a backup needs the file, which is then removed at its end.
    private func isKept(_ name: BlobName) -> Bool {
        copies.withLock { copies in
            guard copies.count > 0 else { return false }
            if copies.removed.count < Copies.removedMax { copies.removed.insert(name) }
            return true
        }
    }

    /// The names of all complete files.
    /// - Throws: `rpc/unavailable` when the disk fails.
    package func names() async throws -> [BlobName] {
        let path = path
        return try await perform { try PrivateFile.names(in: path).compactMap { BlobName($0) } }
    }

    /// Opens a file for a backup, under its name in the data folder; nil if there is none.
    /// - Throws: `rpc/unavailable` when the disk fails.
    package func openFile(_ name: BlobName) async throws -> OpenFile? {
        let file = file(name)
        return try await perform { try Self.open(file, name) }
    }

    private static func open(_ file: String, _ name: BlobName) throws -> OpenFile? {
        guard access(file, F_OK) == 0 else {
            guard errno == ENOENT else { throw PrivateFile.failure(file) }
            return nil
        }
        return try OpenFile(file, name: "\(self.name)/\(name.text)")
    }
}

/// A file that is being written. It owns the descriptor.
private final class DraftFile: BlobDraft {
    private let name: BlobName
    private let folder: BlobFolder
    private let begunAt: Timestamp
    private let descriptor: Int32

    /// Blocks its thread, as `add` and `finish` do.
    init(_ name: BlobName, in folder: BlobFolder) throws {
        let path = folder.draft(name)
        (self.name, self.folder, begunAt) = (name, folder, folder.time.now())
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure(path) }
        try PrivateFile.setModified(begunAt, of: descriptor, path)
    }

    deinit { close(descriptor) }

    func add(_ bytes: [UInt8]) throws {
        let path = folder.draft(name)
        try PrivateFile.write(bytes, to: descriptor, path)
        try PrivateFile.setModified(begunAt, of: descriptor, path)
    }

    func finish() throws {
        let file = folder.file(name)
        guard fsync(descriptor) == 0, rename(folder.draft(name), file) == 0 else {
            throw PrivateFile.failure(file)
        }
        try PrivateFile.sync(folder.path)
    }

    func append(_ bytes: [UInt8]) async throws {
        try await folder.perform { [self] in try add(bytes) }
    }

    func complete() async throws {
        try await folder.perform { [self] in try finish() }
    }
}
