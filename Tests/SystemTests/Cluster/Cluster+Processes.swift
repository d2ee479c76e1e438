import Foundation
import Glibc

extension Cluster {
    /// The running programs: the child processes of `postern up`, by name.
    var processes: [String: pid_t] {
        let threads = names("/proc/\(up.id)/task")
        let children = threads.flatMap { thread in
            text("/proc/\(up.id)/task/\(thread)/children").split(separator: " ")
        }
        // A child that ended after the listing has no name any more.
        let named = children.compactMap { Int32($0) }.map { (Self.name(of: $0), $0) }
        return Dictionary(named.filter { !$0.0.isEmpty }) { first, _ in first }
    }

    /// Kills a program as a crash would.
    func crash(_ service: String) throws {
        guard let process = processes["postern-\(service)"] else {
            throw ClusterError(message: "postern-\(service) does not run")
        }
        kill(process, SIGKILL)
    }

    /// Whether a process with that name and id still runs; a zombie has no memory and counts as
    /// ended.
    static func isRunning(_ name: String, _ process: pid_t) -> Bool {
        self.name(of: process) == name
    }

    /// The name of the executable (`comm` cuts names after 15 bytes); empty after the process
    /// ended.
    private static func name(of process: pid_t) -> String {
        // There is no such link: the process has ended.
        let path = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(process)/exe")
        // "(deleted)" follows if the program was rebuilt since.
        let file = path?.split(separator: "/").last?.split(separator: " ").first
        return file.map(String.init) ?? ""
    }

    private func names(_ folder: String) -> [String] {
        // A folder of /proc disappears with its process.
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func text(_ path: String) -> String {
        // A file of /proc disappears with its thread.
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
