import Foundation
import TestSupport

/// The files of this checkout, as git lists them: tracked files, and new files that are not
/// ignored.
struct Checkout {
    /// The folder that contains `Package.swift`.
    let root: String
    /// Paths from the root, sorted.
    let paths: [String]

    /// The checkout that this file was compiled from.
    static let here = Result {
        // Tests/TidyTests/Checkout.swift, also when it is compiled through a link.
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let folders = file.pathComponents.dropFirst().dropLast(3)
        return try Checkout(root: "/" + folders.joined(separator: "/"))
    }

    init(root: String) throws {
        self.root = root
        let listed = try Self.git(
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], in: root)
        // A file that is deleted but not yet committed is still listed.
        self.paths = Set(listed.split(separator: "\0").map(String.init))
            .filter { FileManager.default.fileExists(atPath: root + "/" + $0) }
            .sorted()
    }

    /// The text of one file.
    func text(of path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }

    /// Paths below a folder with a suffix, without generated code.
    func written(below folder: String, suffix: String) -> [String] {
        paths.filter {
            $0.hasPrefix(folder) && $0.hasSuffix(suffix) && !$0.contains("/Generated/")
        }
    }

    private static func git(_ arguments: [String], in root: String) throws -> String {
        // The tests may run as another user than the owner of the clone.
        let run = try SystemCommand("git", ["-c", "safe.directory=*", "-C", root] + arguments)
        guard run.exitCode == 0 else { throw GitFailed() }
        return run.said
    }

    private struct GitFailed: Error {}
}
