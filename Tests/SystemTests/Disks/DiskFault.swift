import Foundation
import Glibc
import TestSupport

/// A disk fault below a running cluster, which a test begins and ends.
protocol DiskFault: Sendable {
    func begin(_ cluster: Cluster) async throws
    func end(_ cluster: Cluster) async throws
}

/// The file system is full to its last block.
struct FullDisk: DiskFault {
    /// Enough for five stores and a few hundred accounts.
    private static let size = "size=24m,mode=0700"
    /// Whether this process may mount, which needs root.
    static let isPossible = geteuid() == 0 && canMount()

    private static func canMount() -> Bool {
        do {
            let folder = try TemporaryFolder()
            try mount(folder.path)
            try unmount(folder.path)
            return true
        } catch {
            return false  // The probe failed, which is the result.
        }
    }

    /// Mounts a small file system on a folder.
    static func mount(_ path: String) throws {
        try Command.run("mount", ["-t", "tmpfs", "-o", size, "tmpfs", path])
    }

    static func unmount(_ path: String) throws { try Command.run("umount", [path]) }

    func begin(_ cluster: Cluster) throws {
        let file = open(filler(cluster), O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(file, block, block.count) > 0 {}
        guard file >= 0, errno == ENOSPC else {
            throw ClusterError(message: "the disk is not full")
        }
    }

    func end(_ cluster: Cluster) { unlink(filler(cluster)) }

    private func filler(_ cluster: Cluster) -> String { "\(cluster.data)/filler" }
}

/// The system does not let the programs' files grow, as with a quota: each write fails.
struct FileSizeLimit: DiskFault {
    func begin(_ cluster: Cluster) throws { try limit(cluster, to: "0:unlimited") }
    func end(_ cluster: Cluster) throws { try limit(cluster, to: "unlimited:unlimited") }

    private func limit(_ cluster: Cluster, to size: String) throws {
        for process in cluster.processes.values {
            try Command.run("prlimit", ["--pid", "\(process)", "--fsize=\(size)"])
        }
    }
}

/// The stores' files cannot be changed, not even through descriptors that are already open.
struct ReadOnlyFiles: DiskFault {
    /// Whether the file system has the attribute, and this process may set it.
    static let isPossible = canSet()

    private static func canSet() -> Bool {
        guard geteuid() == 0, let folder = try? TemporaryFolder(),  // none: it cannot
            let path = try? folder.write("a", to: "b")
        else { return false }
        let file = open(path, O_WRONLY)
        defer { close(file) }
        do {
            try Command.run("chattr", ["+i", path])
            // Some file systems store the attribute but apply it only when a file is opened.
            let isHeeded = write(file, "c", 1) < 0
            try Command.run("chattr", ["-i", path])
            return isHeeded
        } catch {
            return false  // The probe failed, which is the result.
        }
    }

    func begin(_ cluster: Cluster) throws {
        try Command.run("chattr", ["+i"] + stores(cluster))
    }

    func end(_ cluster: Cluster) throws {
        try Command.run("chattr", ["-i"] + stores(cluster))
    }

    private func stores(_ cluster: Cluster) throws -> [String] {
        let folder = "\(cluster.data)/data"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".sqlite") || $0.hasSuffix("-wal") }
            .map { "\(folder)/\($0)" }
    }
}

/// A command of the system, run to its end.
enum Command {
    static func run(_ name: String, _ arguments: [String]) throws {
        let run = try SystemCommand(name, arguments)
        guard run.exitCode == 0 else {
            throw ClusterError(message: "\(name) ended with \(run.exitCode)")
        }
    }
}
