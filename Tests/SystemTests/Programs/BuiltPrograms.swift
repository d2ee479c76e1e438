import Foundation

/// Where the built programs are: beside the tests, or where `POSTERN_PROGRAMS` says.
enum BuiltPrograms {
    /// The folder of the six executables.
    static let folder: String = {
        if let folder = ProcessInfo.processInfo.environment["POSTERN_PROGRAMS"] { return folder }
        // `swift test` names the test bundle, which lies where the programs are built to.
        let bundle = CommandLine.arguments.lazy.flatMap { $0.split(separator: "=") }
            .first { $0.hasSuffix(".xctest") }
        let beside = bundle.map(String.init) ?? CommandLine.arguments.first ?? ""
        return URL(filePath: beside).standardizedFileURL.deletingLastPathComponent().path
    }()

    /// The path of one.
    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The five services, in the order of their ports.
    static let services = ["gateway", "identity", "session", "rate-limit", "notification"]
}
