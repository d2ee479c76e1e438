import Glibc
package import ServiceRuntime

/// A text file that only grows. What `append` has written is on disk when it returns; a line that a
/// crash has left incomplete is cut off.
package final class LineFile: Sendable {
    /// The longest line, in bytes.
    package static let lineBytesMax = 4_096
    private static let readBytes = 65_536
    private static let lineEnd = UInt8(ascii: "\n")

    /// Where the file is.
    package let path: String
    private let file: Int32

    /// Opens the file, creates it and the last folder of its path if needed, and cuts off an
    /// incomplete line.
    /// - Throws: `SQLError`.
    package init(_ path: String) throws {
        let folder = Files.folder(of: path)
        try PrivateFile.makeFolder(folder)
        self.path = path
        file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateFile.failure(path) }
        try PrivateFile.sync(folder)
        try cutIncompleteLine()
    }

    deinit { if file >= 0 { close(file) } }

    /// Appends complete lines, each with its end, and waits for the disk. One caller at a time.
    /// - Throws: `SQLError`; the lines may be in the file or not.
    package func append(_ lines: [UInt8]) throws {
        precondition(lines.last == Self.lineEnd, "each line has its end")
        // An earlier call may have failed within a line.
        try cutIncompleteLine()
        try PrivateFile.write(lines, to: file, path)
        guard fdatasync(file) == 0 else { throw PrivateFile.failure(path) }
    }

    /// Calls `body` with each line, without its end. Blocks its thread.
    /// - Throws: `SQLError`, also for a line that is too long; what `body` throws.
    package func forEachLine(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
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

    private func cutIncompleteLine() throws {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw PrivateFile.failure(path) }
        let length = Int(status.st_size)
        let start = max(0, length - Self.lineBytesMax)
        let end = try PrivateFile.read(length - start, at: start, from: file, path)
        guard let last = end.last, last != Self.lineEnd else { return }
        let kept = end.lastIndex(of: Self.lineEnd).map { start + $0 + 1 } ?? start
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

    private struct Entry: Sendable {
        let line: [UInt8]
        let caller: CheckedContinuation<Void, any Error>
    }

    private let queue = WorkQueue<Entry>(elementsMax: waitingMax)

    /// Writes to these files, on a thread of its own.
    /// - Throws: `OSThread.NotStarted`.
    package init(_ files: [LineFile]) throws(OSThread.NotStarted) {
        _ = try OSThread { [queue] in
            while true {
                let entries = queue.take(upTo: Self.atOnce)
                if entries.isEmpty { return }
                let result = Result {
                    let lines = entries.flatMap(\.line)
                    for file in files { try file.append(lines) }
                }.mapError { StoreFailure.answer(to: $0) }
                for entry in entries { entry.caller.resume(with: result) }
            }
        }
    }

    deinit { queue.close() }

    /// Appends a line, which has its end, to each file.
    /// - Throws: `rpc/unavailable` when a disk fails: some files may have the line.
    ///   `rpc/resource-exhausted` when too many callers wait.
    package func append(_ line: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { continuation in
            do throws(QueueRefusal) {
                try queue.offer(Entry(line: line, caller: continuation))
            } catch {
                continuation.resume(
                    throwing: StoreFailure.answer(to: error, retryAfter: StoreFailure.retryAfter))
            }
        }
    }

    /// Ends the thread, after the lines that wait.
    package func close() { queue.close() }
}
