import Foundation
import Glibc

/// A process that a test started; ended by its own id only.
///
/// `@unchecked`: `Process` is used from the one test that made this, and its end is noted by
/// Foundation through the stream, which is `Sendable`.
final class RunningProcess: @unchecked Sendable {
    private let process = Process()
    private let ended: AsyncStream<Int32>

    /// The executable `path`, not started yet.
    init(
        _ path: String, _ arguments: [String], in folder: String,
        environment: [String: String] = [:]
    ) {
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment
            // The crash handler can hang in a process that is killed.
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
            .merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            continuation.yield(process.terminationStatus + (isSignal ? 128 : 0))
            continuation.finish()
        }
    }

    /// The process's id.
    var id: pid_t { process.processIdentifier }

    /// Whether it has not ended.
    var isRunning: Bool { process.isRunning }

    /// Connects the streams by pipes; what it complains of may go to an open file instead.
    func connect(input: Pipe, output: Pipe, errors: Any) {
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
    }

    /// Writes both streams to a file.
    func connect(output: FileHandle) {
        process.standardOutput = output
        process.standardError = output
    }

    /// Starts it.
    func start() throws { try process.run() }

    /// Sends a signal to this process, if it runs.
    func send(_ signal: Int32) {
        if process.isRunning { kill(id, signal) }
    }

    /// Waits for its end, and kills it when that takes longer than `limit`.
    /// - Returns: what it left with; 128 and the signal when a signal ended it.
    func end(within limit: Duration) async -> Int32 {
        let watch = Task {
            try await Task.sleep(for: limit)
            send(SIGKILL)
        }
        defer { watch.cancel() }
        for await exitCode in ended { return exitCode }
        guard process.isRunning else { return process.terminationStatus }  // asked again
        send(SIGKILL)  // the test was cancelled, and must leave nothing behind
        return 128 + SIGKILL
    }
}
