import Foundation
import Glibc
import Synchronization
import TestSupport

/// A program that a test starts when its streams are connected; ended by its own id only.
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

    /// What it reads from and writes to; nothing, unless a test connects it.
    private struct Streams {
        var input = FileHandle.nullDevice
        var output = FileHandle.standardOutput
        var errors = FileHandle.standardError
        /// Our copies of its ends of pipes: open, whoever reads the other end would never see the
        /// last of it.
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

    /// The process's id; 0 before it was started.
    var id: pid_t { child?.id ?? 0 }

    /// Whether it was started and has not ended.
    var isRunning: Bool { child.map { $0.exitCode == nil } ?? false }

    private var child: ChildProcess? { state.withLock { $0.child } }

    /// Connects its input and output by pipes, its complaints to one or to an open file.
    func connect(input: Pipe, output: Pipe, errors: Pipe) {
        connect(input: input, output: output, errors: errors.fileHandleForWriting)
        ChildProcess.keepFromOthers(errors)
        state.withLock { $0.streams.handedOn.append(errors.fileHandleForWriting) }
    }

    /// The same; what it complains of goes to an open file.
    func connect(input: Pipe, output: Pipe, errors: FileHandle) {
        [input, output].forEach(ChildProcess.keepFromOthers)
        state.withLock { state in
            state.streams = Streams(
                input: input.fileHandleForReading, output: output.fileHandleForWriting,
                errors: errors,
                handedOn: [input.fileHandleForReading, output.fileHandleForWriting])
        }
    }

    /// Writes both streams to a file.
    func connect(output: FileHandle) {
        state.withLock { $0.streams = Streams(output: output, errors: output) }
    }

    /// Starts it.
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

    /// Sends a signal to this process, if it runs.
    func send(_ signal: Int32) { child?.send(signal) }

    /// Waits for its end, and kills it when that takes longer than `limit`.
    /// - Returns: what it left with; 128 and the signal when a signal ended it.
    func end(within limit: Duration) async -> Int32 {
        let watch = Task {
            try await Task.sleep(for: limit)
            send(SIGKILL)
        }
        defer { watch.cancel() }
        if let exitCode = await child?.end() { return exitCode }
        send(SIGKILL)  // the test was cancelled, and must leave nothing behind
        return 128 + SIGKILL
    }
}
