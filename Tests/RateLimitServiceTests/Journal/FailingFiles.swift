import Storage
import Synchronization

/// The disk's files, until their calls begin to fail: all from one on, or while it is told to.
final class FailingFiles: JournalFiles {
    private let disk = DiskFiles()
    /// Calls that work; then all fail.
    private let left: Atomic<Int>
    let isFull = Atomic<Bool>(false)

    init(after calls: Int = .max) {
        left = Atomic(calls)
    }

    func create(_ path: String) throws -> any JournalFile {
        try check()
        return FailingFile(file: try disk.create(path), files: self)
    }

    func open(_ path: String) throws -> any JournalFile {
        try check()
        return FailingFile(file: try disk.open(path), files: self)
    }

    func rename(_ path: String, to name: String) throws {
        try check()
        try disk.rename(path, to: name)
    }

    /// - Throws: when calls fail.
    func check() throws {
        guard !isFull.load(ordering: .sequentiallyConsistent) else {
            throw SQLError(.full, detail: "test")
        }
        guard left.subtract(1, ordering: .sequentiallyConsistent).newValue >= 0 else {
            throw SQLError(.inputOutput, detail: "test")
        }
    }
}

private struct FailingFile: JournalFile {
    let file: any JournalFile
    let files: FailingFiles

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        do {
            try files.check()
        } catch {
            // Half of it is there, as when the disk fills up on the way.
            let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
            try file.write(half, at: offset)
            throw error
        }
        try file.write(bytes, at: offset)
    }

    func sync() throws {
        try files.check()
        try file.sync()
    }

    func cut(to length: Int) throws {
        try files.check()
        try file.cut(to: length)
    }
}
