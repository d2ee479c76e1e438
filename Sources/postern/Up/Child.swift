import Glibc

/// One of the six programs as a child process.
struct Child {
    /// The executable's name.
    let name: String
    /// Its process; nil while it does not run.
    var process: pid_t?
    /// Our end of its standard input: it closes when this process dies for any reason, and the
    /// child stops.
    var lifeline: Int32 = -1
    /// Its log since its last start.
    var log = ChildLog("")
    /// The port that it got at its first start; reused by later ones.
    var port = 0
    /// See `port`.
    var metricsPort = 0
    /// The delay before its next start.
    var restart = RestartWait()
    /// How often it has ended by itself.
    var ends = 0
    /// When it was last started, in seconds of the boot clock.
    var startedAt: Double = 0

    init(_ name: String) {
        self.name = name
    }
}

// MARK: Its process

extension Child {
    /// Starts `path` with `arguments`, its error stream appended to `log`.
    /// - Returns: the process and our end of its standard input.
    static func start(
        _ path: String, _ arguments: [String], log: String
    ) throws -> (process: pid_t, lifeline: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ToolError.system("pipe", errno) }
        // Otherwise the next child would inherit this one's lifeline and keep it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let logFile = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard logFile >= 0 else {
            let reason = errno
            close(ends[1])
            throw ToolError.system(log, reason)
        }
        defer { close(logFile) }
        do {
            return (try spawn(path, arguments, input: ends[0], output: logFile), ends[1])
        } catch {
            close(ends[1])
            throw error
        }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], input: Int32, output: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A process group of its own, so that Ctrl-C reaches only this process, which stops the
        // children in order. And no blocked signals, which they would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawn(&process, path, &actions, &attributes, &words, environ)
        guard result == 0 else { throw ToolError.system(path, result) }
        return process
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

    /// How the process has ended, which is reaped then; nil while it runs.
    static func end(of process: pid_t) -> End? {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        return End(status: status)
    }

    /// The folder that this program was started from, which has the other programs too.
    static func programsFolder() throws -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw ToolError.system("/proc/self/exe", errno) }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}

// MARK: Its port

extension Child {
    /// Outside the system's ephemeral range (32768 and above by default), so that the system does
    /// not assign the port to another process before its program has started.
    private static let ports = 20_000...32_000
    private static let portTriesMax = 200

    /// Unused loopback ports, no two of them the same.
    /// - Throws: `ToolError` if there are not so many.
    static func freePorts(_ count: Int) throws -> [Int] {
        var found: [Int] = []
        for _ in 0..<portTriesMax where found.count < count {
            let port = Int.random(in: ports)
            if !found.contains(port), isFree(port) { found.append(port) }
        }
        guard found.count == count else {
            throw ToolError("too few unused ports between 20000 and 32000: set --port-base")
        }
        return found
    }

    private static func isFree(_ port: Int) -> Bool {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { return false }
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
