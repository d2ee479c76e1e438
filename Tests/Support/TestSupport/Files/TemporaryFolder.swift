import FoundationEssentials
import Glibc

/// A folder of one test, deleted with its contents when the last reference is released.
package final class TemporaryFolder: Sendable {
    /// Its path, absolute and without a trailing slash.
    package let path: String

    /// Creates a new folder that only this user can read.
    /// - Throws: `CocoaError` if the folder cannot be created.
    package init() throws {
        let base = FileManager.default.temporaryDirectory.path
        var template = Array("\(base)/postern-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CocoaError(.fileWriteUnknown)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // A folder that cannot be deleted is left to the system's cleaning of temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of the file `name` in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes `text` to a file in the folder and returns its path.
    /// - Throws: if the file cannot be written.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }
}
