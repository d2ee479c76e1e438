import Glibc
import ServiceRuntime
import Synchronization

/// Blobs as files of a folder beside the store. Files are read and written on threads of its own,
/// since a disk may block for long.
package final class BlobFolder: BlobStore {
    /// The folder's name in a data folder.
    package static let name = "blobs"
    /// While it is written, a file has this at the end of its name.
    private static let draftSuffix = ".partial"
    /// More would only wait for the same disk.
    private static let threads = 2
    /// Waiting work; a part of a photo takes microseconds.
    private static let waitingMax = 1_024

    private let path: String
    private let queue = WorkQueue<Queued<Void>>(elementsMax: waitingMax, isGone: { $0.isGone })
    /// How many backups copy.
    private let copies = Atomic<Int>(0)

    /// Opens the folder, creates it if needed, and removes what a killed process has not completed.
    /// - Parameter folder: the data folder; its store must be open in this process.
    /// - Throws: `SQLError`, `OSThread.NotStarted`.
    package init(in folder: String) throws {
        path = "\(folder)/\(Self.name)"
        try PrivateFile.makeFolder(path)
        for name in try PrivateFile.names(in: path) where name.hasSuffix(Self.draftSuffix) {
            // One that cannot be removed costs space until the next start.
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
        let (file, path) = (file(name), path)
        try await perform {
            let draft = file + Self.draftSuffix
            do {
                try PrivateFile.write(parts, to: draft)
                guard rename(draft, file) == 0 else { throw PrivateFile.failure(file) }
                try PrivateFile.sync(path)
            } catch {
                unlink(draft)
                throw error
            }
        }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func begin(_ name: BlobName) async throws -> any BlobDraft {
        let (file, path) = (file(name), path)
        return try await perform { [self] in
            try DraftFile(file + Self.draftSuffix, named: file, in: path, of: self)
        }
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
        let files = names.map(file)
        // Their rows are gone already.
        try await perform(evenIfCancelled: true) { [self] in
            for file in files where copies.load(ordering: .acquiring) == 0 {
                guard unlink(file) == 0 || errno == ENOENT else { throw PrivateFile.failure(file) }
            }
        }
    }

    /// See `BlobStore`.
    /// - Throws: see `BlobStore`.
    package func names() async throws -> [BlobName] {
        let path = path
        return try await perform { try PrivateFile.names(in: path).compactMap { BlobName($0) } }
    }

    private func file(_ name: BlobName) -> String { "\(path)/\(name.text)" }

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
    package func beginCopy() { copies.add(1, ordering: .releasing) }

    /// Ends a `beginCopy`.
    package func endCopy() { copies.subtract(1, ordering: .releasing) }

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

/// A blob that is being written. It owns the open file.
private final class DraftFile: BlobDraft {
    /// The file's path until it is complete.
    private let draft: String
    private let file: String
    private let path: String
    private let folder: BlobFolder
    private let descriptor: Int32
    private let isComplete = Atomic<Bool>(false)

    init(_ draft: String, named file: String, in path: String, of folder: BlobFolder) throws {
        (self.draft, self.file, self.path, self.folder) = (draft, file, path, folder)
        descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure(draft) }
    }

    deinit {
        close(descriptor)
        if !isComplete.load(ordering: .acquiring) { unlink(draft) }
    }

    func append(_ bytes: [UInt8]) async throws {
        // Without `self`, which a thread would keep for a moment longer than the owner does.
        try await folder.perform { [descriptor, draft] in
            try PrivateFile.write(bytes, to: descriptor, draft)
        }
    }

    func complete() async throws {
        try await folder.perform { [self] in
            guard fsync(descriptor) == 0, rename(draft, file) == 0 else {
                throw PrivateFile.failure(file)
            }
            isComplete.store(true, ordering: .releasing)
            try PrivateFile.sync(path)
        }
    }
}
