import TestSupport

/// The five programs, started one by one with a network between them that a test can disturb.
final class ProxiedStack {
    /// The folder of the stores and keys, with the layout of `postern up`.
    let data: String
    private(set) var proxies: [NetworkLink: FaultProxy] = [:]
    private var programs: [StartedProgram] = []

    /// Runs `test` with its own stack, and stops the stack afterwards, even if the test fails.
    static func with(_ test: (ProxiedStack, LoadBackend) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await Cluster.with(folder) { _ in }  // makes the keys
        let stack = ProxiedStack(data: folder.file("data"))
        do {
            let backend = try LoadBackend(port: try await stack.start(), data: stack.data)
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
    var areAllRunning: Bool { programs.count == 5 && programs.allSatisfy(\.process.isRunning) }

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
        var settings = [
            "--listen-port", "0", "--metrics-port", "0", "--data-folder", "\(data)/data",
            "--keys-folder", "\(data)/keys", "--applications-folder", "\(data)/keys/\(name)",
        ]
        if name == "notification" { settings += ["--inbox-folder", "\(data)/inbox"] }
        let program = try await StartedProgram(name, named: name, settings + peers, data: data)
        programs.append(program)
        return program.port
    }

    /// Stops all programs, callers before the programs that they call, then the network.
    private func stop() async {
        for program in programs.reversed() { await program.stop() }
        for proxy in proxies.values { proxy.stop() }
    }
}
