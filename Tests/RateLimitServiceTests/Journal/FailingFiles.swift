import Storage
import Synchronization

/// Real files whose calls begin to fail, either permanently after some calls or while a flag is
/// set.
final class FailingFiles: JournalFiles {
    private let disk = DiskFiles()
    /// The number of calls that still work; then all fail.
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

    /// - Throws: `SQLError` if calls fail.
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
            // Half of the bytes are written, as when the disk fills up during the write.
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
