import Foundation
import Glibc
import TestSupport

/// One of our programs beside those of a cluster, started with the settings of a test.
struct StartedProgram {
    let process: RunningProcess
    /// The port that it listens on.
    let port: Int

    /// Starts `postern-<program>` and waits until it listens. If it does not, it is ended.
    /// - Parameters:
    ///   - name: of its log and its port file below `data`. A program of a known name continues
    ///     its log.
    ///   - settings: all but the port file.
    init(_ program: String, named name: String, _ settings: [String], data: String) async throws {
        let portFile = "\(data)/run/\(name).own-ports"
        _ = unlink(portFile)
        let process = RunningProcess(
            BuiltPrograms.path("postern-\(program)"), settings + ["--port-file", portFile],
            in: data)
        process.connect(output: try Self.log("\(data)/logs/\(name).own-log"))
        try process.start()
        self.process = process
        do {
            port = try await Self.port(of: process, in: portFile)
        } catch {
            await Self.stop(process)
            throw error
        }
    }

    /// Stops the program as an operator does.
    /// - Returns: the exit code.
    @discardableResult
    func stop() async -> Int32 { await Self.stop(process) }

    @discardableResult
    private static func stop(_ process: RunningProcess) async -> Int32 {
        process.send(SIGTERM)
        return await process.end(within: Cluster.stoppedWithin + .seconds(5))
    }

    private static func log(_ path: String) throws -> FileHandle {
        if access(path, F_OK) != 0 { try Data().write(to: URL(filePath: path)) }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        return file
    }

    private static func port(of process: RunningProcess, in portFile: String) async throws -> Int {
        _ = try await eventually(within: Cluster.readyWithin) {
            access(portFile, F_OK) == 0 || !process.isRunning
        }
        let text = try String(contentsOfFile: portFile, encoding: .utf8)
        guard let port = text.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw ClusterError(message: "no port in \(portFile): \(text)")
        }
        return port
    }
}
