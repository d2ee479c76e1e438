package import ServiceRuntime

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
