import Foundation
import Glibc
import TestSupport

/// A gateway in addition to the cluster's own, in front of the same services. The gateway has no
/// state, so that there may be any number of them.
final class GatewayProgram {
    private let name: String
    private let cluster: Cluster
    private let arguments: [String]
    private var process: RunningProcess?
    /// The port that it got at its first start, kept for the next starts.
    private(set) var port = 0

    /// The gateway `name`, not started yet, with additional settings.
    init(_ name: String, of cluster: Cluster, _ arguments: [String] = []) {
        self.name = name
        self.cluster = cluster
        self.arguments = arguments
    }

    /// The process id; 0 before the start.
    var id: pid_t { process?.id ?? 0 }

    /// Starts the gateway and waits until it listens.
    func start() async throws {
        let portFile = "\(cluster.data)/run/\(name).own-ports"
        _ = unlink(portFile)
        let process = RunningProcess(
            BuiltPrograms.path("postern-gateway"), try settings(portFile) + arguments,
            in: cluster.data)
        let log = "\(cluster.data)/logs/\(name).own-log"
        if access(log, F_OK) != 0 { try Data().write(to: URL(filePath: log)) }
        let output = try FileHandle(forWritingTo: URL(filePath: log))
        try output.seekToEnd()
        process.connect(output: output)
        try process.start()
        self.process = process
        _ = try await eventually(within: Cluster.readyWithin) {
            access(portFile, F_OK) == 0 || !process.isRunning
        }
        let text = try String(contentsOfFile: portFile, encoding: .utf8)
        guard let port = text.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw ClusterError(said: "\(name) wrote no port: \(text)")
        }
        self.port = port
    }

    private func settings(_ portFile: String) throws -> [String] {
        let addresses = try cluster.addresses()
        return [
            "--listen-port", "\(port)", "--metrics-port", "0", "--port-file", portFile,
            "--data-folder", "\(cluster.data)/data", "--keys-folder", "\(cluster.data)/keys",
            "--applications-folder", "\(cluster.data)/keys/gateway",
        ]
            + ["identity", "session", "rate-limit"].flatMap {
                ["--\($0)-address", addresses[$0] ?? ""]
            }
    }

    /// Stops the gateway as an operator does.
    /// - Returns: the exit code.
    @discardableResult
    func stop() async -> Int32? {
        process?.send(SIGTERM)
        return await process?.end(within: Cluster.stoppedWithin + .seconds(5))
    }
}
