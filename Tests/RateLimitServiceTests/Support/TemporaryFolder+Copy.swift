import FoundationEssentials
import TestSupport

extension TemporaryFolder {
    private struct NeverStill: Error {}

    /// Copies the files to another folder as they are now: the state that a killed process leaves.
    /// Starts again while files are added or removed.
    /// - Throws: `NeverStill` if the files keep changing, or a file error.
    func copy() throws -> TemporaryFolder {
        for _ in 0..<1_000 {
            let names = try self.names()
            let copy = try TemporaryFolder()
            do {
                for name in names {
                    let bytes = try Data(contentsOf: URL(filePath: file(name)))
                    try bytes.write(to: URL(filePath: copy.file(name)))
                }
            } catch {
                // One of the files has just been removed.
                continue
            }
            if try self.names() == names { return copy }
        }
        throw NeverStill()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
