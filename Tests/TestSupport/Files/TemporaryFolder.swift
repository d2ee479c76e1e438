import FoundationEssentials
import Glibc

/// A folder of a test's own, deleted with all that is in it when the last reference goes.
package final class TemporaryFolder: Sendable {
    /// Where it is, absolute and without a final slash.
    package let path: String

    /// Makes a folder that nobody else has, readable by this user only.
    package init() throws {
        let base = FileManager.default.temporaryDirectory.path
        var template = Array("\(base)/postern-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CocoaError(.fileWriteUnknown)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // A folder that cannot be deleted is left to the system's own sweep of its temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes `text` to a file in the folder and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }
}
