import Glibc

/// One of the six programs as a child process.
struct Child {
    /// The executable's name.
    let name: String
    /// Its process; nil while it does not run.
    var process: OSProcess?
    /// Our end of its standard input: it closes when this process dies for any reason, and the
    /// child stops.
    var lifeline: Int32 = -1
    /// Its log since its last start.
    var log = ChildLog("")
    /// The warnings of its log since `postern up` has begun.
    var warnings: ChildWarnings
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

    /// - Parameter log: the path of its log.
    init(_ name: String, log: String) {
        self.name = name
        warnings = ChildWarnings(log)
    }
}

// MARK: Its process

extension Child {
    /// Starts `path` with `arguments`, its error stream appended to `log`. It has a group of its
    /// own, so that Ctrl-C reaches only this process, which stops the children in order.
    /// - Returns: the process and our end of its standard input.
    static func start(
        _ path: String, _ arguments: [String], log: String
    ) throws -> (process: OSProcess, lifeline: Int32) {
        let (input, lifeline) = try OSProcess.pipe()
        defer { close(input) }
        let logFile = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard logFile >= 0 else {
            let reason = errno
            close(lifeline)
            throw ToolError.system(log, reason)
        }
        defer { close(logFile) }
        do {
            let process = try OSProcess(
                path, arguments,
                streams: [STDIN_FILENO: input, STDOUT_FILENO: logFile, STDERR_FILENO: logFile],
                hasOwnGroup: true)
            return (process, lifeline)
        } catch {
            close(lifeline)
            throw error
        }
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
