import Foundation
import Glibc
import TestSupport

/// The five programs, started by `postern up` on ports that the system picks.
final class Cluster: Sendable {
    /// What the issue asks of a start is measured by the benchmarks; here it only must come.
    static let readyWithin = Duration.seconds(30)
    /// A stop drains for 10 s at most.
    static let stoppedWithin = Duration.seconds(10)

    /// The folder of `--data`.
    let data: String
    /// `postern up` itself.
    let up: RunningProcess
    private let output: String

    /// Runs `test` with a cluster on a folder of its own, which is stopped after, however the test
    /// ends.
    /// - Parameter limits: what the operator's file of limits says; nil for none.
    static func with(
        limits: String? = nil, environment: [String: String] = [:],
        _ test: (Cluster) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var environment = environment
        if let limits {
            environment["POSTERN_LIMITS_FILE"] = try folder.write(limits, to: "limits.yaml")
        }
        try await with(folder, environment: environment, test)
    }

    /// The same on a given folder, for a second start.
    static func with(
        _ folder: TemporaryFolder, environment: [String: String] = [:],
        _ test: (Cluster) async throws -> Void
    ) async throws {
        let cluster = try Cluster(folder, environment: environment)
        do {
            try await cluster.untilReady()
            try await test(cluster)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }

    private init(_ folder: TemporaryFolder, environment: [String: String]) throws {
        data = folder.file("data")
        output = try folder.write("", to: "up.log")
        up = RunningProcess(
            BuiltPrograms.path("postern"), ["up", "--data", data, "--port-base", "0"],
            in: folder.path, environment: environment)
        up.connect(output: try FileHandle(forWritingTo: URL(filePath: output)))
        try up.start()
    }

    private func untilReady() async throws {
        let isReady = try await eventually(within: Self.readyWithin) {
            said.contains("ready\n") || !up.isRunning
        }
        guard isReady, up.isRunning else {
            throw ClusterError(said: "postern up did not become ready: \(said)")
        }
    }

    /// The file of an application's private half.
    func key(of application: String) -> String {
        let isOurs = BuiltPrograms.services.contains(application)
        return "\(data)/keys/\(isOurs ? application : "applications")/\(application).k1.key"
    }

    /// What `postern up` has said so far.
    var said: String {
        // Nothing yet is nothing said.
        (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    }

    /// Stops it as Ctrl-C does.
    /// - Returns: what `postern up` left with.
    @discardableResult
    func stop(by signal: Int32 = SIGINT) async -> Int32 {
        up.send(signal)
        return await up.end(within: Self.stoppedWithin + .seconds(5))
    }
}

/// The cluster did not do what a test needs to go on.
struct ClusterError: Error, CustomStringConvertible {
    let said: String

    var description: String { said }
}
