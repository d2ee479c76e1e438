import Glibc
import ServiceRuntime

/// The PostgreSQL of `postern up --store private`: durable, and reached by its user and root only.
///
///     DATA/postgresql/data      the databases
///     DATA/postgresql/socket    in /tmp instead, if the path of the socket were too long
///     DATA/logs/postgresql.log
///
/// It is a child of this process, and is stopped after the programs. When this process is killed,
/// the kernel sends it SIGTERM, and it ends when the last program has.
///
/// PostgreSQL refuses to run as root. Where this process does, the server runs as the user
/// `postgres`, whose group may then pass through the data folder, and read nothing in it.
final class PrivateServer {
    /// The value of `--store` that asks for it.
    static let word = "private"
    private static let programs = "/usr/lib/postgresql/15/bin"
    /// The path of a socket has so many bytes at most, with its name.
    private static let socketBytesMax = 107
    private static let socketName = "/.s.PGSQL.5432"
    /// A server that was killed first does what its log says.
    private static let startTimeout = 600.0
    private static let stopTimeout = 60.0

    private let owner: Owner?
    private let base: String
    private let socket: Socket
    private let log: String
    private var process: OSProcess?
    private var restart = RestartWait()
    private var startedAt = 0.0

    /// Starts it; returns when it accepts connections. The first time, makes its databases.
    /// - Throws: `ToolError`, `OSProcess.NotStarted`.
    init(_ folder: DataFolder, until signals: StopSignals) throws {
        guard access("\(Self.programs)/postgres", X_OK) == 0 else {
            throw ToolError(
                "PostgreSQL 15 is not installed: install the Debian package postgresql-15, or "
                    + "start with docker/up.sh, which does")
        }
        owner = try Owner.ofServer()
        base = try Self.makeFolder(in: folder.path, for: owner)
        socket = try Socket(below: base, for: owner)
        log = folder.log("postgresql")
        do {
            try requireReach()
            try makeDatabases()
            try start()
            try waitUntilReady(signals)
        } catch {
            stop()
            throw error
        }
    }

    /// Whether a data folder has the databases of such a server.
    static func isIn(_ folder: String) -> Bool { access("\(folder)/postgresql/data", F_OK) == 0 }

    /// What `store-url` is for it.
    var url: String { "postgres://postern@/postgres?host=\(socket.folder)" }

    // MARK: Folders

    private static func makeFolder(in folder: String, for owner: Owner?) throws -> String {
        guard let path = realpath(folder, nil) else { throw ToolError.system(folder, errno) }
        defer { free(path) }
        let whole = String(cString: path)
        let base = "\(whole)/postgresql"
        guard Files.makeFolder(base) else { throw ToolError.system(base, errno) }
        guard let owner else { return base }
        try owner.takes(base)
        // It passes through, and lists nothing.
        guard chown(whole, uid_t.max, owner.group) == 0, chmod(whole, 0o710) == 0 else {
            throw ToolError.system(whole, errno)
        }
        return base
    }

    private func requireReach() throws {
        guard try run("true", []).wait() != .exit(code: 0) else { return }
        throw ToolError(
            "PostgreSQL does not run as root, and its user postgres cannot reach \(base): start "
                + "with --data FOLDER at a place where every user may pass, such as /srv/postern")
    }

    private func makeDatabases() throws {
        let (data, draft) = ("\(base)/data", "\(base)/data.new")
        guard access(data, F_OK) != 0 else { return }
        // Of a start that was killed.
        _ = try run("rm", ["-rf", draft]).wait()
        let said = ChildLog(log)
        let end = try run(
            "\(Self.programs)/initdb",
            [
                "--pgdata=\(draft)", "--username=postern", "--auth-local=trust",
                "--auth-host=reject", "--encoding=UTF8", "--locale=C", "--data-checksums",
                "--no-instructions",
            ]
        ).wait()
        guard end == .exit(code: 0) else { throw failed("cannot make its databases", said) }
        guard rename(draft, data) == 0, Files.sync(base) else {
            throw ToolError.system(data, errno)
        }
    }

    // MARK: Running

    private func start() throws {
        process = try run(
            "\(Self.programs)/postgres",
            [
                "-D", "\(base)/data", "-c", "listen_addresses=",
                "-c", "unix_socket_directories=\(socket.folder)",
                "-c", "unix_socket_permissions=0700", "-c", "port=5432",
            ])
        startedAt = Clock.seconds()
    }

    private func waitUntilReady(_ signals: StopSignals) throws {
        let (deadline, said) = (Clock.seconds() + Self.startTimeout, ChildLog(log))
        while !isReady {
            guard let process, process.ended() == nil else {
                self.process = nil
                throw failed("ended before it was ready", said)
            }
            guard Clock.seconds() < deadline else { throw failed("did not become ready", said) }
            if signals.arrive(within: 20) {
                throw ToolError("stopped before all programs were ready")
            }
        }
    }

    /// Whether it says so in the last line of its file about itself, whose first has its id.
    private var isReady: Bool {
        // It writes the file after its start.
        let written = try? TextFile.read("\(base)/data/postmaster.pid")
        guard let process, let written else { return false }
        let lines = String(decoding: written, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.first == "\(process.id)" && lines.contains { $0.hasPrefix("ready") }
    }

    /// Starts it again where it has ended.
    func restartIfEnded() {
        if let process {
            guard let end = process.ended() else { return }
            say("\(end.phrase); see \(log); restarting it")
            restart.recordEnd(
                life: Clock.seconds() - startedAt, wasReady: true, wasKilled: end.isKill)
            self.process = nil
            startedAt = Clock.seconds()
        }
        guard Clock.seconds() - startedAt >= restart.wait else { return }
        do {
            try start()
        } catch {
            say("cannot be started: \(error)")
            restart.recordFailedStart()
            startedAt = Clock.seconds()
        }
    }

    /// Stops it, which ends the connections that it still has.
    func stop() {
        if let process {
            process.send(SIGINT)
            let deadline = Clock.seconds() + Self.stopTimeout
            while process.ended() == nil {
                // Nothing is lost: its next start reads its log.
                if Clock.seconds() > deadline { process.send(SIGQUIT) }
                usleep(5_000)
            }
        }
        process = nil
        socket.remove()
    }

    /// Starts a program as the server's user, in its folder, and without this process's
    /// environment, which has secrets of our programs.
    private func run(_ program: String, _ arguments: [String]) throws -> OSProcess {
        let (input, output) = (
            open("/dev/null", O_RDONLY | O_CLOEXEC),
            open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        )
        let reason = errno
        defer { for file in [input, output] where file >= 0 { close(file) } }
        guard input >= 0, output >= 0 else { throw ToolError.system(log, reason) }
        return try OSProcess(
            "setpriv",
            (owner?.options ?? []) + [
                "--pdeathsig", "TERM", "env", "--ignore-environment", "--chdir=\(base)",
                "PATH=/usr/bin:/bin", "LC_ALL=C", program,
            ] + arguments,
            streams: [STDIN_FILENO: input, STDOUT_FILENO: output, STDERR_FILENO: output],
            hasOwnGroup: true)
    }

    private func failed(_ what: String, _ said: ChildLog) -> ToolError {
        ToolError("PostgreSQL \(what): \(said.reason)\n(its log is \(log))")
    }

    private func say(_ text: String) {
        Screen.line("\(SystemTime().now().text) PostgreSQL \(text)")
    }
}

extension PrivateServer {
    /// The user that the server runs as, where this process is root's.
    private struct Owner {
        let user: uid_t
        let group: gid_t

        /// - Returns: nil where the server runs as this process's user.
        static func ofServer() throws -> Owner? {
            guard geteuid() == 0 else { return nil }
            guard let entry = getpwnam("postgres") else {
                throw ToolError("PostgreSQL does not run as root, and there is no user postgres")
            }
            return Owner(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
        }

        /// What `setpriv` has to change.
        var options: [String] {
            ["--reuid", "\(user)", "--regid", "\(group)", "--clear-groups"]
        }

        func takes(_ folder: String) throws {
            guard chown(folder, user, group) == 0 else { throw ToolError.system(folder, errno) }
        }
    }

    /// The folder of its socket.
    private struct Socket {
        let folder: String
        private let isTemporary: Bool

        init(below base: String, for owner: Owner?) throws {
            let near = "\(base)/socket"
            isTemporary = !Self.isUsable(near)
            if isTemporary {
                var template = Array("/tmp/postern-XXXXXX".utf8CString)
                guard mkdtemp(&template) != nil else { throw ToolError.system("/tmp", errno) }
                let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
                folder = String(decoding: bytes, as: UTF8.self)
            } else {
                guard Files.makeFolder(near) else { throw ToolError.system(near, errno) }
                folder = near
            }
            try owner?.takes(folder)
        }

        /// Neither too long, nor with what means something in a list of folders, or in a URL.
        private static func isUsable(_ folder: String) -> Bool {
            let bytesMax = PrivateServer.socketBytesMax - PrivateServer.socketName.utf8.count
            return folder.isName(1...bytesMax, [.letter, .digit], marks: "/._-")
        }

        func remove() {
            if isTemporary { rmdir(folder) }
        }
    }
}
