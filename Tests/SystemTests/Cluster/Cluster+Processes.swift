import Foundation
import Glibc

extension Cluster {
    /// The running programs, as the system knows the children of `postern up`.
    var processes: [String: pid_t] {
        let threads = names("/proc/\(up.id)/task")
        let children = threads.flatMap { thread in
            text("/proc/\(up.id)/task/\(thread)/children").split(separator: " ")
        }
        // A child that ends between the two looks has no name any more.
        let named = children.compactMap { Int32($0) }.map { (Self.name(of: $0), $0) }
        return Dictionary(named.filter { !$0.0.isEmpty }) { first, _ in first }
    }

    /// Kills a program as a crash would.
    func crash(_ service: String) throws {
        guard let process = processes["postern-\(service)"] else {
            throw ClusterError(said: "postern-\(service) does not run")
        }
        kill(process, SIGKILL)
    }

    /// Whether a process of that name and id still runs; a zombie has no memory and counts as gone.
    static func isRunning(_ name: String, _ process: pid_t) -> Bool {
        self.name(of: process) == name
    }

    /// The name of the executable, for `comm` cuts names after 15 bytes; empty when it has ended.
    private static func name(of process: pid_t) -> String {
        // Nobody there: it has ended.
        let path = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(process)/exe")
        // "(deleted)" follows when it was built anew since.
        let file = path?.split(separator: "/").last?.split(separator: " ").first
        return file.map(String.init) ?? ""
    }

    private func names(_ folder: String) -> [String] {
        // A folder of /proc goes with its process.
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func text(_ path: String) -> String {
        // A file of /proc goes with its thread.
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
