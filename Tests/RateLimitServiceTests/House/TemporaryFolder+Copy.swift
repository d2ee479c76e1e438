import FoundationEssentials
import TestSupport

extension TemporaryFolder {
    /// Another folder with the same files as they are just now: what a process that is killed
    /// leaves to the next.
    func copy() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let bytes = try Data(contentsOf: URL(filePath: file(name)))
            try bytes.write(to: URL(filePath: copy.file(name)))
        }
        return copy
    }
}
