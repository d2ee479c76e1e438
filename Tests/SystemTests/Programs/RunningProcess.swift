import Foundation
import Glibc
import Synchronization
import TestSupport

/// A program that a test starts after connecting its streams; it is only ever ended by its own id.
final class RunningProcess: Sendable {
    private let path: String
    private let arguments: [String]
    private let folder: String
    private let environment: [String: String]
    private let state = Mutex(State())

    private struct State {
        var streams = Streams()
        var child: ChildProcess?
    }

    /// Standard input, output and error; by default no input, and the test's own output.
    private struct Streams {
        var input = FileHandle.nullDevice
        var output = FileHandle.standardOutput
        var errors = FileHandle.standardError
        /// Our copies of the child's ends of pipes. While they are open, a reader of the other end
        /// never sees the end of the stream.
        var handedOn: [FileHandle] = []
    }

    /// The executable `path`, not started yet.
    init(
        _ path: String, _ arguments: [String], in folder: String,
        environment: [String: String] = [:]
    ) {
        self.path = path
        self.arguments = arguments
        self.folder = folder
        self.environment = ProcessInfo.processInfo.environment
            // The crash handler can hang in a process that is killed.
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
            .merging(environment) { _, new in new }
    }

    /// The process id; 0 before the start.
    var id: pid_t { child?.id ?? 0 }

    /// Whether it was started and has not ended.
    var isRunning: Bool { child.map { $0.exitCode == nil } ?? false }

    private var child: ChildProcess? { state.withLock { $0.child } }

    /// Connects standard input, output and error by pipes.
    func connect(input: Pipe, output: Pipe, errors: Pipe) {
        connect(input: input, output: output, errors: errors.fileHandleForWriting)
        ChildProcess.keepFromOthers(errors)
        state.withLock { $0.streams.handedOn.append(errors.fileHandleForWriting) }
    }

    /// The same, with standard error as an open file.
    func connect(input: Pipe, output: Pipe, errors: FileHandle) {
        [input, output].forEach(ChildProcess.keepFromOthers)
        state.withLock { state in
            state.streams = Streams(
                input: input.fileHandleForReading, output: output.fileHandleForWriting,
                errors: errors,
                handedOn: [input.fileHandleForReading, output.fileHandleForWriting])
        }
    }

    /// Writes standard output and error to a file.
    func connect(output: FileHandle) {
        state.withLock { $0.streams = Streams(output: output, errors: output) }
    }

    /// Starts the process.
    func start() throws {
        try state.withLock { state in
            let streams = state.streams
            state.child = try ChildProcess(
                path, arguments, in: folder, environment: environment,
                input: streams.input.fileDescriptor, output: streams.output.fileDescriptor,
                errors: streams.errors.fileDescriptor)
            for handle in streams.handedOn { try handle.close() }
            state.streams = Streams()
        }
    }

    /// Sends a signal to the process, if it runs.
    func send(_ signal: Int32) { child?.send(signal) }

    /// Waits for the end of the process, and kills it after `limit`.
    /// - Returns: the exit code; 128 plus the signal's number if a signal ended it.
    func end(within limit: Duration) async -> Int32 {
        let watch = Task {
            try await Task.sleep(for: limit)
            send(SIGKILL)
        }
        defer { watch.cancel() }
        if let exitCode = await child?.end() { return exitCode }
        send(SIGKILL)  // The test was cancelled, and must leave no process behind.
        return 128 + SIGKILL
    }
}
