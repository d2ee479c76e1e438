import Foundation
import Glibc
import TestSupport

/// The six programs, started by `postern up` on ports that the system chooses.
final class Cluster: Sendable {
    /// The goal for a start is measured by the benchmarks; here the start only has to succeed.
    static let readyWithin = Duration.seconds(30)
    /// A stop drains for at most 10 s.
    static let stoppedWithin = Duration.seconds(10)

    /// The folder of `--data`.
    let data: String
    /// The process of `postern up`.
    let up: RunningProcess
    /// The database of the stores; nil for files.
    let storeURL: String?
    private let outputFile: String

    /// Runs `test` with a cluster in its own folder, and stops the cluster afterwards, even if the
    /// test fails.
    /// - Parameter limits: the content of the operator's limits file; nil for no file.
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

    /// The same in a given folder, for a second start.
    /// - Parameter options: Further options of `postern up`.
    static func with(
        _ folder: TemporaryFolder, environment: [String: String] = [:], options: [String] = [],
        _ test: (Cluster) async throws -> Void
    ) async throws {
        let cluster = try Cluster(folder, environment: environment, options: options)
        do {
            try await cluster.untilReady()
            try await test(cluster)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }

    /// The database in which the programs of a folder have their stores; nil for files.
    static func storeURL(of folder: TemporaryFolder) throws -> String? {
        guard TestStore.isOnServer else { return nil }
        return try TestServer.durable.get().database(for: folder.path)
    }

    private init(
        _ folder: TemporaryFolder, environment: [String: String], options: [String]
    ) throws {
        data = folder.file("data")
        var environment = environment
        storeURL = try Self.storeURL(of: folder)
        if let storeURL { environment["POSTERN_STORE_URL"] = storeURL }
        outputFile = try folder.write("", to: "up.log")
        up = RunningProcess(
            BuiltPrograms.path("postern"), ["up", "--data", data, "--port-base", "0"] + options,
            in: folder.path, environment: environment)
        up.connect(output: try FileHandle(forWritingTo: URL(filePath: outputFile)))
        try up.start()
    }

    private func untilReady() async throws {
        let isReady = try await eventually(within: Self.readyWithin) {
            output.contains("ready\n") || !up.isRunning
        }
        guard isReady, up.isRunning else {
            throw ClusterError(message: "postern up did not become ready: \(output)")
        }
    }

    /// The file of an application's private key.
    func key(of application: String) -> String {
        let isOurs = (BuiltPrograms.services + ["web"]).contains(application)
        return "\(data)/keys/\(isOurs ? application : "applications")/\(application).k1.key"
    }

    /// What `postern up` has printed so far.
    var output: String {
        // A file that does not exist yet has no text.
        (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? ""
    }

    /// Stops the cluster as Ctrl-C does.
    /// - Returns: the exit code of `postern up`.
    @discardableResult
    func stop(by signal: Int32 = SIGINT) async -> Int32 {
        up.send(signal)
        return await up.end(within: Self.stoppedWithin + .seconds(5))
    }
}

/// The cluster did not do what a test needs to continue.
struct ClusterError: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
}
