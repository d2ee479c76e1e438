package import Foundation
import Glibc
import Synchronization

/// A process that a test starts, by `posix_spawn`; waited for by a thread of its own, and signalled by
/// its own id only, while that is still its own.
///
/// Not Foundation's `Process`: its `run` looks for the highest open descriptor by reading
/// `/proc/self/fd`, and copies each entry as if its name had all 256 bytes. With many files open the
/// last one ends at the end of the buffer, and the copy runs past it: address-sanitized runs say
/// heap-buffer-overflow in `findMaximumOpenFromProcSelfFD`, and one ordinary run in some dozens ended
/// by a segmentation fault.
package final class ChildProcess: Sendable {
    /// What it could not be started for.
    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }

    /// The process's id.
    package let id: pid_t
    /// What it left with, 128 and the signal when a signal ended it; nil while it runs.
    private let left = Mutex<Int32?>(nil)
    private let ended: AsyncStream<Int32>

    /// Starts the executable `path`.
    /// - Parameters:
    ///   - folder: Where it runs.
    ///   - environment: All that it is given.
    ///   - input: Descriptors that become its standard streams. Others are handed on unless they
    ///     close on exec, as all of ours do.
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

    /// What it left with; nil while it runs.
    package var exitCode: Int32? { left.withLock { $0 } }

    /// Sends a signal to this process, if it runs: its id is another's once it was waited for.
    package func send(_ signal: Int32) {
        left.withLock { if $0 == nil { kill(id, signal) } }
    }

    /// Waits for its end.
    /// - Returns: what it left with; nil when the waiting task was cancelled before.
    package func end() async -> Int32? {
        for await exitCode in ended { return exitCode }
        return exitCode
    }

    /// The same without a task, for what has closed its streams and so is about to leave.
    package func waitHere() -> Int32 {
        while true {
            if let exitCode { return exitCode }
            usleep(1_000)
        }
    }

    private func wait() -> Int32 {
        // Looked at without reaping first, so that its id stays its own until `left` says so.
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

    /// Keeps both ends of a pipe from children that are not meant: who reads one would otherwise wait
    /// for the last of them to leave.
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
        // Above the three first, or one stream could take the place of another before it is moved.
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
