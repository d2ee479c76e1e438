import Foundation

/// The folder of the built programs: that of the tests, or the one that `POSTERN_PROGRAMS` names.
enum BuiltPrograms {
    /// The folder of the six executables.
    static let folder: String = {
        if let folder = ProcessInfo.processInfo.environment["POSTERN_PROGRAMS"] { return folder }
        // `swift test` passes the path of the test bundle, which is in the folder of the built
        // programs.
        let bundle = CommandLine.arguments.lazy.flatMap { $0.split(separator: "=") }
            .first { $0.hasSuffix(".xctest") }
        let beside = bundle.map(String.init) ?? CommandLine.arguments.first ?? ""
        return URL(filePath: beside).standardizedFileURL.deletingLastPathComponent().path
    }()

    /// The path of a program.
    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The five services, in the order of their ports.
    static let services = ["gateway", "identity", "session", "rate-limit", "notification"]
}
