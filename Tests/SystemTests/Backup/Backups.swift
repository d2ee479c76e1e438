import Foundation
import TestSupport

/// A folder for backups with a key pair for them, and new homes for what is restored.
struct Backups {
    /// Where backups go.
    let folder: TemporaryFolder
    /// The file of the secret key.
    let identity: String
    /// Its public half.
    let recipient: String

    init() async throws {
        folder = try TemporaryFolder()
        identity = folder.file("backup-key.txt")
        let run = try await ProgramRun.run("postern", ["backup", "key", identity])
        guard run.exitCode == 0, let start = run.output.range(of: "age1") else {
            throw ClusterError(message: "postern backup key: \(run.output)\(run.errors)")
        }
        recipient = String(run.output[start.lowerBound...].prefix { $0.isLetter || $0.isNumber })
    }

    /// The arguments of a backup of a cluster.
    func arguments(_ cluster: Cluster) -> [String] {
        ["backup", "--to", folder.path, "--recipient", recipient] + cluster.endpoints
    }

    /// The files of complete backups, the oldest first.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".age") }.sorted().map(folder.file)
    }

    /// The files of backups that are not complete.
    func drafts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".partial") }
    }

    /// Makes a backup.
    /// - Returns: its file.
    func make(_ cluster: Cluster) async throws -> String {
        let before = try files()
        let run = try await cluster.postern(arguments(cluster))
        guard run.exitCode == 0, let new = try files().first(where: { !before.contains($0) }) else {
            throw ClusterError(message: "postern backup: \(run.output)\(run.errors)")
        }
        return new
    }

    /// `postern backup verify`.
    func verify(_ file: String, keysOf cluster: Cluster) async throws -> ProgramRun {
        try await ProgramRun.run(
            "postern",
            ["backup", "verify", file, "--identity", identity, "--keys", "\(cluster.data)/keys"])
    }

    /// The arguments of a restore into a home.
    func restoring(_ source: String, in home: TemporaryFolder) -> [String] {
        [
            "restore", "--from", source, "--identity", identity, "--data",
            home.file("data/data"), "--keys", home.file("data/keys"),
        ]
    }

    /// A new folder for a cluster, with the keys of another one, into which nothing is restored yet.
    func home(withKeysOf data: String) async throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        try await Self.shell("mkdir -m 700 '\(home.file("data"))'")
        try await Self.shell("cp -a '\(data)/keys' '\(home.file("data"))'")
        return home
    }

    /// A new folder for a cluster, with the restored stores and the keys of another one.
    func restore(_ source: String, keysOf data: String) async throws -> TemporaryFolder {
        let home = try await home(withKeysOf: data)
        let run = try await ProgramRun.run("postern", restoring(source, in: home))
        guard run.exitCode == 0 else {
            throw ClusterError(message: "postern restore: \(run.output)\(run.errors)")
        }
        return home
    }

    /// Runs a line of the shell.
    /// - Returns: its output.
    @discardableResult
    static func shell(_ line: String) async throws -> String {
        let run = try await ProgramRun.run(
            path: "/bin/bash", ["-e", "-o", "pipefail", "-c", line], limit: .seconds(60))
        guard run.exitCode == 0 else {
            throw ClusterError(message: "\(line): \(run.output)\(run.errors)")
        }
        return run.output
    }
}

extension Cluster {
    /// The email addresses of all accounts.
    func emails() async throws -> Set<String> {
        let folder = try TemporaryFolder()
        let run = try await tool(["export", folder.file("accounts.jsonl")])
        guard run.exitCode == 0 else { throw ClusterError(message: "export: \(run.errors)") }
        let text = try String(contentsOfFile: folder.file("accounts.jsonl"), encoding: .utf8)
        return Set(text.matches(of: /"email":\s*"([^"]*)"/).map { String($0.1) })
    }
}
