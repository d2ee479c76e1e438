import Foundation
import Glibc
import TestSupport

/// The five programs, started one by one with a network between them that a test can disturb.
final class ProxiedStack {
    /// The folder of the stores and keys, with the layout of `postern up`.
    let data: String
    private(set) var proxies: [NetworkLink: FaultProxy] = [:]
    private var processes: [(name: String, process: RunningProcess)] = []

    /// Runs `test` with its own stack, and stops the stack afterwards, even if the test fails.
    static func with(_ test: (ProxiedStack, Backend) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await Cluster.with(folder) { _ in }  // makes the keys
        let stack = ProxiedStack(data: folder.file("data"))
        do {
            let backend = try Backend(port: try await stack.start(), data: stack.data)
            try await test(stack, backend)
            backend.close()
        } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    private init(data: String) {
        self.data = data
    }

    /// Whether all five programs run.
    var areAllRunning: Bool { processes.count == 5 && processes.allSatisfy(\.process.isRunning) }

    /// - Returns: the gateway's port.
    private func start() async throws -> Int {
        var ports: [String: Int] = [:]
        for name in ["rate-limit", "notification", "session", "identity", "gateway"] {
            let peers = try NetworkLink.allCases.filter { $0.caller == name }.flatMap { link in
                let proxy = try FaultProxy(to: ports[link.target] ?? 0)
                proxies[link] = proxy
                return ["--\(link.target)-address", "127.0.0.1:\(proxy.port)"]
            }
            ports[name] = try await start(name, peers)
        }
        return ports["gateway"] ?? 0
    }

    private func start(_ name: String, _ peers: [String]) async throws -> Int {
        let portFile = "\(data)/run/\(name).own-ports"
        var arguments = [
            "--listen-port", "0", "--metrics-port", "0", "--data-folder", "\(data)/data",
            "--keys-folder", "\(data)/keys", "--port-file", portFile,
            "--applications-folder", "\(data)/keys/\(name)",
        ]
        if name == "notification" { arguments += ["--inbox-folder", "\(data)/inbox"] }
        let log = "\(data)/logs/\(name).own-log"
        try Data().write(to: URL(filePath: log))
        let process = RunningProcess(
            BuiltPrograms.path("postern-\(name)"), arguments + peers, in: data)
        process.connect(output: try FileHandle(forWritingTo: URL(filePath: log)))
        try process.start()
        processes.append((name, process))
        _ = try await eventually(within: Cluster.readyWithin) {
            access(portFile, F_OK) == 0 || !process.isRunning
        }
        let text = try String(contentsOfFile: portFile, encoding: .utf8)
        guard let port = text.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw ClusterError(said: "postern-\(name) wrote no port: \(text)")
        }
        return port
    }

    /// Stops all programs, callers before the programs that they call, then the network.
    private func stop() async {
        for (_, process) in processes.reversed() {
            process.send(SIGTERM)
            _ = await process.end(within: Cluster.stoppedWithin + .seconds(5))
        }
        for proxy in proxies.values { proxy.stop() }
    }
}
