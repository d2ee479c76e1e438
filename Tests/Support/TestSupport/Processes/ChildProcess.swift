package import Foundation
import Glibc
import Synchronization

/// A process that a test starts with `posix_spawn`. A thread of its own waits for it. It is
/// signalled only by its id, and only until it has been reaped.
///
/// It does not use Foundation's `Process`. Its `run` finds the highest open descriptor by reading
/// `/proc/self/fd`, and copies each entry as if its name had all 256 bytes. With many open files
/// the last entry is at the end of the buffer, and the copy reads past it: AddressSanitizer reports
/// heap-buffer-overflow in `findMaximumOpenFromProcSelfFD`, and without it one run in some dozens
/// ended with a segmentation fault.
package final class ChildProcess: Sendable {
    /// Why the process could not be started.
    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }

    /// The process id.
    package let id: pid_t
    /// Its exit code, or 128 plus the signal that ended it; nil while it runs.
    private let left = Mutex<Int32?>(nil)
    private let ended: AsyncStream<Int32>

    /// Starts the executable `path`.
    /// - Parameters:
    ///   - folder: Its working directory.
    ///   - environment: All of its environment variables.
    ///   - input: Descriptors that become its standard streams. It inherits other descriptors
    ///     unless they close on exec, as all of ours do.
    /// - Throws: `NotStarted` if the process cannot be spawned.
    package init(
        _ path: String, _ arguments: [String], in folder: String, environment: [String: String],
        input: Int32, output: Int32, errors: Int32
    ) throws {
        id = try Self.spawn(
            ["/usr/bin/env", "--chdir=\(folder)", path] + arguments,
            environment.map { "\($0.key)=\($0.value)" },
            streams: [input, output, errors])
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        Thread.detachNewThread { [self] in
            continuation.yield(wait())
            continuation.finish()
        }
    }

    /// Its exit code; nil while it runs.
    package var exitCode: Int32? { left.withLock { $0 } }

    /// Sends a signal to this process if it runs. After it was reaped, another process may have its
    /// id.
    package func send(_ signal: Int32) {
        left.withLock { if $0 == nil { kill(id, signal) } }
    }

    /// Waits until the process ends.
    /// - Returns: its exit code; nil if the waiting task was cancelled first.
    package func end() async -> Int32? {
        for await exitCode in ended { return exitCode }
        return exitCode
    }

    /// The same without a task, for a process that has closed its streams and will exit soon.
    package func waitHere() -> Int32 {
        while true {
            if let exitCode { return exitCode }
            usleep(1_000)
        }
    }

    private func wait() -> Int32 {
        // Waits without reaping, so that no other process gets the id before `left` is set.
        var ending = siginfo_t()
        while waitid(P_PID, id_t(id), &ending, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return left.withLock { left in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            let exitCode = signal == 0 ? (status >> 8) & 0xff : 128 + signal
            left = exitCode
            return exitCode
        }
    }

    /// Sets close-on-exec on both ends of a pipe. If an unrelated child inherited the write end,
    /// the reader would wait until that child exits.
    package static func keepFromOthers(_ pipe: Pipe) {
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func spawn(
        _ command: [String], _ environment: [String], streams: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Moved above the three standard descriptors. Otherwise one stream could overwrite another
        // before that is moved.
        let moved = streams.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        defer { moved.forEach { close($0) } }
        for (stream, descriptor) in zip([STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO], moved) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, command[0], &actions, &attributes, &words, &variables)
        guard result == 0 else {
            throw NotStarted(description: "\(command[0]): \(String(cString: strerror(result)))")
        }
        return process
    }
}
