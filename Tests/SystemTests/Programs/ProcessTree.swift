import Foundation

/// The processes of the machine, as `/proc` has them.
enum ProcessTree {
    /// The processes of a program that a process has started, by itself or by others.
    static func started(_ program: String, below root: pid_t) throws -> [pid_t] {
        var parents: [pid_t: pid_t] = [:]
        var found: [pid_t] = []
        let entries = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        for id in entries.compactMap({ pid_t($0) }) {
            // One that has ended meanwhile has none: `7 (age) S 6 …`
            guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let (name, rest) = parts(of: text), let parent = pid_t(rest)
            else { continue }
            parents[id] = parent
            if name == program { found.append(id) }
        }
        return found.filter { id in
            var ancestor = parents[id]
            while let next = ancestor, next != root { ancestor = parents[next] }
            return ancestor == root
        }
    }

    /// The name, and the number of the parent.
    private static func parts(of stat: String) -> (name: Substring, parent: Substring)? {
        guard let start = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")") else {
            return nil
        }
        let fields = stat[end...].split(separator: " ")
        guard fields.count > 2 else { return nil }
        return (stat[start..<end].dropFirst(), fields[2])
    }
}
