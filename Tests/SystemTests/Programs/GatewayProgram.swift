import Glibc

/// A gateway in addition to the cluster's own, in front of the same services. The gateway has no
/// state, so that there may be any number of them.
final class GatewayProgram {
    private let name: String
    private let cluster: Cluster
    private let arguments: [String]
    /// The address at which it calls identity; nil for the cluster's.
    private let identity: String?
    private var program: StartedProgram?
    /// The port that it got at its first start, kept for the next starts.
    private(set) var port = 0

    /// The gateway `name`, not started yet, with additional settings.
    init(
        _ name: String, of cluster: Cluster, _ arguments: [String] = [], identity: String? = nil
    ) {
        self.name = name
        self.identity = identity
        self.cluster = cluster
        self.arguments = arguments
    }

    /// The process id; 0 before the start.
    var id: pid_t { program?.process.id ?? 0 }

    /// Starts the gateway and waits until it listens.
    func start() async throws {
        let program = try await StartedProgram(
            "gateway", named: name, try settings() + arguments, data: cluster.data)
        self.program = program
        port = program.port
    }

    private func settings() throws -> [String] {
        var addresses = try cluster.addresses()
        if let identity { addresses["identity"] = identity }
        return [
            "--listen-port", "\(port)", "--metrics-port", "0",
            "--data-folder", "\(cluster.data)/data", "--keys-folder", "\(cluster.data)/keys",
            "--applications-folder", "\(cluster.data)/keys/gateway",
        ]
            + ["identity", "session", "rate-limit"].flatMap {
                ["--\($0)-address", addresses[$0] ?? ""]
            }
    }

    /// Kills the gateway as a crash would, and waits until it has ended.
    func crash() async {
        program?.process.send(SIGKILL)
        _ = await program?.process.end(within: .seconds(5))
    }

    /// Stops the gateway as an operator does.
    /// - Returns: the exit code.
    @discardableResult
    func stop() async -> Int32? {
        await program?.stop()
    }
}
