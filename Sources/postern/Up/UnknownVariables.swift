import Glibc
import ServiceRuntime

/// Environment variables that begin with `POSTERN_` but belong to no program's settings. A program
/// has to ignore them, since one environment may serve several programs; `postern up` starts all
/// that this one serves, and so can tell that a name is misspelt.
enum UnknownVariables {
    private static let prefix = SettingVariable.prefix
    /// Beginnings of names that the tool, the pages' examples, tests and benchmarks use.
    private static let others = [
        Endpoints.pathVariable, "POSTERN_URL", "POSTERN_APP_KEY", "POSTERN_TOOL", "POSTERN_SOAK_",
        "POSTERN_BENCH_", "POSTERN_PROGRAMS",
    ]
    /// Changed characters up to which two names are similar.
    private static let distanceMax = 3

    /// A sentence for each variable of this process that is a setting of none of the programs.
    /// - Parameter programs: the paths of all programs.
    static func warnings(programs: [String]) -> [String] {
        let variables = ourVariables()
        guard !variables.isEmpty else { return [] }
        let known = Set(
            programs.flatMap { program -> [String] in
                let shared = settings(inHelp: help(of: program))
                let name = program.split(separator: "/").last.map(String.init) ?? program
                return shared + shared.map { SettingVariable.own($0, of: name) }
            })
        // A missing program is reported when it is started.
        return known.isEmpty ? [] : warnings(variables, known: known)
    }

    /// A sentence for each of `variables` that is not `known`.
    static func warnings(_ variables: [String], known: Set<String>) -> [String] {
        variables.filter { name in
            !known.contains(name) && !others.contains { name.hasPrefix($0) }
        }.sorted().map { name in
            let nearest = known.map { (EditDistance.between(name.utf8, $0.utf8), $0) }.min {
                $0 < $1
            }
            let hint = nearest.flatMap { $0.0 <= distanceMax ? "; did you mean \($0.1)?" : nil }
            return "\(name) is set, and no program has this setting" + (hint ?? "")
        }
    }

    /// The variables of the settings that a program's `--help` lists: `--listen-port PORT` is
    /// `POSTERN_LISTEN_PORT`; secrets are listed by their variables.
    static func settings(inHelp text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("  ") }.compactMap { line in
            let word = line.dropFirst(2).prefix { $0 != " " }
            if word.hasPrefix(prefix) { return String(word) }
            guard word.hasPrefix("--") else { return nil }
            return prefix
                + word.dropFirst(2).uppercased().map { $0 == "-" ? "_" : String($0) }
                .joined()
        }
    }

    /// The names of this process's variables that begin with our prefix.
    private static func ourVariables() -> [String] {
        var names: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if name.hasPrefix(prefix) { names.append(String(name)) }
            entry += 1
        }
        return names
    }

    /// What `--help` of a program prints; empty if it cannot be run.
    private static func help(of program: String) -> String {
        let quoted = program.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: #"'\''"#)
        guard let pipe = popen("'\(quoted)' --help 2>/dev/null", "r") else { return "" }
        defer { pclose(pipe) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
