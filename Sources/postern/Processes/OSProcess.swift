import Glibc

/// A process that the tool has started. Until `ended` or `wait` has returned how it ended, the
/// system gives its id to no other process, so that a signal reaches this one or none.
struct OSProcess: Equatable, Sendable {
    /// The system did not start a program.
    struct NotStarted: Error, CustomStringConvertible {
        let program: String
        /// The `errno`.
        let code: Int32

        var description: String { ToolError.system(program, code).description }
    }

    let id: pid_t

    /// Starts a program.
    /// - Parameters:
    ///   - program: a path, or a name that a folder of `PATH` has.
    ///   - streams: the descriptors that become its standard streams, by the numbers of these. It
    ///     inherits the others from this process.
    ///   - hasOwnGroup: keeps it apart from the terminal: Ctrl-C does not reach it, and it cannot
    ///     ask there.
    /// - Throws: `NotStarted`.
    init(
        _ program: String, _ arguments: [String], streams: [Int32: Int32], hasOwnGroup: Bool
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Moved above the three standard descriptors. Otherwise one stream could overwrite another
        // before that is moved.
        let moved = streams.mapValues { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        defer { moved.values.forEach { close($0) } }
        guard moved.values.allSatisfy({ $0 >= 0 }) else {
            throw NotStarted(program: program, code: errno)
        }
        for (stream, descriptor) in moved {
            posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // No blocked signals, which it would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
        guard result == 0 else { throw NotStarted(program: program, code: result) }
        id = process
    }

    /// How a process has ended.
    enum End: Equatable {
        case exit(code: Int32)
        case signal(Int32)

        /// - Parameter status: the status of `waitpid` for a process that has ended.
        init(status: Int32) {
            // The low seven bits are the signal that ended it (WTERMSIG), the next byte is the exit
            // code (WEXITSTATUS).
            let signal = status & 0x7f
            self = signal == 0 ? .exit(code: status >> 8 & 0xff) : .signal(signal)
        }

        /// By SIGKILL, which a program never sends to itself.
        var isKill: Bool { self == .signal(SIGKILL) }

        /// `ended with exit code 1`, `was ended by signal 9 (Killed)`
        var phrase: String {
            switch self {
            case .exit(let code): "ended with exit code \(code)"
            case .signal(let number):
                "was ended by signal \(number) (\(String(cString: strsignal(number))))"
            }
        }
    }

    /// Sends it a signal.
    func send(_ signal: Int32) { kill(id, signal) }

    /// How it has ended; nil while it runs.
    func ended() -> End? {
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        return End(status: status)
    }

    /// Waits until it ends.
    /// - Returns: how; nil if that was returned before.
    func wait() -> End? {
        var status: Int32 = 0
        while true {
            if waitpid(id, &status, 0) == id { return End(status: status) }
            guard errno == EINTR else { return nil }
        }
    }

    /// A pipe to or from a process. A process inherits no end of it except as one of its streams: a
    /// second copy would hide that the first was closed.
    /// - Throws: `ToolError`.
    static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw ToolError.system("pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
