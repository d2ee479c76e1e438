import ArgumentParser
import FoundationEssentials
import Glibc
import RPC
import ServiceRuntime
import TestSupport

/// The programs under `postern up`, on their own folder: for a measure that needs something before
/// they start, for example a provider.
struct RunningPrograms: Sendable {
    private static let readyWithin = Duration.seconds(30)
    private static let stoppedWithin = Duration.seconds(15)

    /// The folder of `--data`.
    let data: String
    private let up: ChildProcess

    /// Starts the programs, and waits until they are ready.
    /// - Parameters:
    ///   - postern: the tool; the programs are in its folder.
    ///   - folder: the folder for data and logs.
    ///   - settings: environment variables, in addition to this process's.
    ///   - isWithWeb: whether the web service runs too.
    init(
        postern: String, folder: String, settings: [String: String], withWeb isWithWeb: Bool = false
    ) async throws {
        data = "\(folder)/data"
        let output = "\(folder)/up.log"
        let (quiet, log) = (
            open("/dev/null", O_RDONLY | O_CLOEXEC),
            open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        )
        defer { [quiet, log].forEach { close($0) } }
        guard quiet >= 0, log >= 0 else { throw ValidationError("\(output) cannot be written") }
        up = try ChildProcess(
            postern,
            ["up", "--data", data, "--port-base", "0"] + (isWithWeb ? [] : ["--no-web"]),
            in: folder,
            environment: ProcessInfo.processInfo.environment.merging(settings) { $1 },
            input: quiet, output: log, errors: log)
        let due = ContinuousClock.now + Self.readyWithin
        while try !Self.text(output).contains("ready\n") {
            guard up.exitCode == nil, ContinuousClock.now < due else {
                up.send(SIGINT)
                throw ValidationError("postern up is not ready: \(try Self.text(output))")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Stops the programs as Ctrl-C does, and waits until they have ended.
    func stop() async {
        up.send(SIGINT)
        let watch = Task {
            try await Task.sleep(for: Self.stoppedWithin)
            up.send(SIGKILL)
        }
        _ = await up.end()
        watch.cancel()
    }

    /// The settings of a client of the gateway.
    func gateway() throws -> ClientSettings {
        let port = try ports(of: "gateway").calls
        let key = try ApplicationKey.first(of: "app", in: "\(data)/keys/applications")
        return ClientSettings(
            service: "postern.gateway", host: "127.0.0.1", port: port,
            application: key.application, keyID: key.keyID, secret: key.key)
    }

    /// The ports of a program, for calls and for its metrics.
    func ports(of program: String) throws -> (calls: Int, metrics: Int) {
        let ports = try Self.text("\(data)/run/postern-\(program).ports").split(separator: "\n")
        guard let calls = ports.first.flatMap({ Int($0) }),
            let metrics = ports.last.flatMap({ Int($0) })
        else { throw ValidationError("\(program) has written no port") }
        return (calls, metrics)
    }

    /// CPU time of each program so far, in seconds: user and system, of all its threads.
    func processorTime() throws -> [String: Double] {
        try programs().mapValues { try Self.processorTime(of: $0) }
    }

    /// The process of each program.
    func programs() throws -> [String: Substring] {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(up.id)/task")
        let children = try tasks.flatMap { task in
            try Self.text("/proc/\(up.id)/task/\(task)/children").split(separator: " ")
        }
        return try children.reduce(into: [:]) { programs, child in
            let path = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(child)/exe")
            let name = path.split(separator: "postern-").last.map(String.init) ?? path
            programs[name] = child
        }
    }

    /// Fields 14 and 15 of `proc(5)`'s stat, counted after the name, which may contain any
    /// character.
    private static func processorTime(of process: Substring) throws -> Double {
        let text = try text("/proc/\(process)/stat")
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
        else { throw ValidationError("no CPU time of process \(process)") }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// A file's text.
    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }
}
