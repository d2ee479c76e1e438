import Glibc
package import ServiceRuntime
import Synchronization

/// A text file to which lines are appended. What `append` has written is on disk when it returns; a
/// line that a crash has left incomplete is cut off. `keep` replaces the file by one with fewer
/// lines.
package final class LineFile: Sendable {
    /// The longest line, in bytes.
    package static let lineBytesMax = 4_096
    private static let readBytes = 65_536
    private static let lineEnd = UInt8(ascii: "\n")

    /// Where the file is.
    package let path: String
    private let open: Mutex<OpenFile>

    private struct OpenFile {
        var file: Int32
        /// Set while the folder on disk may still name the file from before `keep`.
        var hasUnsyncedName = false
    }

    /// The file while it is rewritten.
    private var draftPath: String { path + ".draft" }

    /// Opens the file, creates it and the last folder of its path if needed, and cuts off an
    /// incomplete line.
    /// - Throws: `SQLError`.
    package init(_ path: String) throws {
        let folder = Files.folder(of: path)
        try PrivateFile.makeFolder(folder)
        self.path = path
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateFile.failure(path) }
        open = Mutex(OpenFile(file: file))
        try PrivateFile.sync(folder)
        try Self.cutIncompleteLine(file, path)
    }

    deinit { close(open.withLock(\.file)) }

    /// Appends complete lines, each with its end, and waits for the disk. One caller at a time.
    /// - Throws: `SQLError`; the lines may be in the file or not.
    package func append(_ lines: [UInt8]) throws {
        precondition(lines.last == Self.lineEnd, "each line has its end")
        try open.withLock { open in
            try syncName(&open)
            // An earlier call may have failed within a line.
            try Self.cutIncompleteLine(open.file, path)
            try PrivateFile.write(lines, to: open.file, path)
            guard fdatasync(open.file) == 0 else { throw PrivateFile.failure(path) }
        }
    }

    /// Leaves out the lines for which `isKept` returns false. The other lines are on disk in a new
    /// file before it replaces this one, so a crash leaves the one or the other. Without such lines
    /// the file is not touched. One caller at a time, as of `append`. Blocks its thread.
    /// - Returns: how many lines were left out.
    /// - Throws: `SQLError`, after which the file is the former or the new one, and usable.
    package func keep(_ isKept: (ArraySlice<UInt8>) -> Bool) throws -> Int {
        try open.withLock { try syncName(&$0) }
        var leftOut = 0
        try forEachLine { if !isKept($0) { leftOut += 1 } }
        guard leftOut > 0 else { return 0 }
        let draft = try makeDraft(isKept)
        guard rename(draftPath, path) == 0 else {
            let failure = PrivateFile.failure(path)
            close(draft)
            throw failure
        }
        try open.withLock { open in
            close(open.file)
            open = OpenFile(file: draft, hasUnsyncedName: true)
            try syncName(&open)
        }
        return leftOut
    }

    /// Writes the draft and waits for the disk.
    /// - Returns: the draft, open for appending.
    private func makeDraft(_ isKept: (ArraySlice<UInt8>) -> Bool) throws -> Int32 {
        // A crash may have left one.
        try PrivateFile.remove(draftPath)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC
        let draft = Glibc.open(draftPath, flags, 0o600)
        guard draft >= 0 else { throw PrivateFile.failure(draftPath) }
        do {
            var lines: [UInt8] = []
            try forEachLine { line in
                guard isKept(line) else { return }
                lines += line
                lines.append(Self.lineEnd)
                guard lines.count >= Self.readBytes else { return }
                try PrivateFile.write(lines, to: draft, draftPath)
                lines.removeAll(keepingCapacity: true)
            }
            try PrivateFile.write(lines, to: draft, draftPath)
            guard fsync(draft) == 0 else { throw PrivateFile.failure(draftPath) }
        } catch {
            close(draft)
            throw error
        }
        return draft
    }

    /// After a power failure a folder that is not synced may name the former file again, and what
    /// was appended since would be lost.
    private func syncName(_ open: inout OpenFile) throws {
        guard open.hasUnsyncedName else { return }
        try PrivateFile.sync(Files.folder(of: path))
        open.hasUnsyncedName = false
    }

    /// Calls `body` with each line, without its end. Not while `keep` runs. Blocks its thread.
    /// - Throws: `SQLError`, also for a line that is too long; what `body` throws.
    package func forEachLine(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        let file = open.withLock(\.file)
        var (rest, offset) = ([UInt8](), 0)
        while true {
            let read = try PrivateFile.read(Self.readBytes, at: offset, from: file, path)
            guard !read.isEmpty else { return }
            offset += read.count
            rest += read
            var line = rest[...]
            while let end = line.firstIndex(of: Self.lineEnd) {
                try body(line[..<end])
                line = line[(end + 1)...]
            }
            guard line.count <= Self.lineBytesMax else {
                throw SQLError(.inputOutput, detail: "\(path): a line is too long")
            }
            rest = Array(line)
        }
    }

    private static func cutIncompleteLine(_ file: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw PrivateFile.failure(path) }
        let length = Int(status.st_size)
        let start = max(0, length - lineBytesMax)
        let end = try PrivateFile.read(length - start, at: start, from: file, path)
        guard let last = end.last, last != lineEnd else { return }
        let kept = end.lastIndex(of: lineEnd).map { start + $0 + 1 } ?? start
        guard kept == 0 || kept > start else {
            throw SQLError(.inputOutput, detail: "\(path): a line is too long")
        }
        guard ftruncate(file, kept) == 0 else { throw PrivateFile.failure(path) }
    }
}

/// Lines that are written to several files, for instance on different disks. A call returns when
/// its line is on disk in each. Calls that arrive while the disks are busy share the next sync.
package final class LineFiles: Sendable {
    /// Callers that wait; more are refused.
    private static let waitingMax = 4_096
    /// Lines in one sync.
    private static let atOnce = 256

    private enum Job: Sendable {
        case append([UInt8], CheckedContinuation<Void, any Error>)
        case keep(IsKept, CheckedContinuation<Int, any Error>)
    }

    private typealias IsKept = @Sendable (ArraySlice<UInt8>) -> Bool

    private let queue = WorkQueue<Job>(elementsMax: waitingMax)

    /// Writes to these files, on a thread of its own.
    /// - Throws: `OSThread.NotStarted`.
    package init(_ files: [LineFile]) throws(OSThread.NotStarted) {
        _ = try OSThread { [queue] in
            while true {
                let jobs = queue.take(upTo: Self.atOnce)
                if jobs.isEmpty { return }
                Self.perform(jobs, files)
            }
        }
    }

    /// First the lines, whose callers wait.
    private static func perform(_ jobs: [Job], _ files: [LineFile]) {
        let appended = jobs.compactMap { if case .append(let line, _) = $0 { line } else { nil } }
        let result = Result {
            guard !appended.isEmpty else { return }
            for file in files { try file.append(Array(appended.joined())) }
        }.mapError { StoreFailure.answer(to: $0) }
        for case .append(_, let caller) in jobs { caller.resume(with: result) }
        for case .keep(let isKept, let caller) in jobs {
            caller.resume(
                with: Result { try files.reduce(0) { $0 + (try $1.keep(isKept)) } }
                    .mapError { StoreFailure.answer(to: $0) })
        }
    }

    deinit { queue.close() }

    /// Appends a line, which has its end, to each file.
    /// - Throws: `rpc/unavailable` when a disk fails: some files may have the line.
    ///   `rpc/resource-exhausted` when too many callers wait.
    package func append(_ line: [UInt8]) async throws {
        try await perform { .append(line, $0) }
    }

    /// Leaves out lines of each file, as `LineFile.keep`, between two appends.
    /// - Returns: how many lines were left out of all files together.
    /// - Throws: as `append`: some files may have been replaced.
    package func keep(
        _ isKept: @escaping @Sendable (ArraySlice<UInt8>) -> Bool
    ) async throws -> Int {
        try await perform { .keep(isKept, $0) }
    }

    private func perform<Value: Sendable>(
        _ job: (CheckedContinuation<Value, any Error>) -> Job
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(QueueRefusal) {
                try queue.offer(job(continuation))
            } catch {
                continuation.resume(
                    throwing: StoreFailure.answer(to: error, retryAfter: StoreFailure.retryAfter))
            }
        }
    }

    /// Ends the thread, after the lines that wait.
    package func close() { queue.close() }
}
