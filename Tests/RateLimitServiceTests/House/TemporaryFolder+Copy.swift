import FoundationEssentials
import TestSupport

extension TemporaryFolder {
    private struct NeverStill: Error {}

    /// Another folder with the same files as they are just now: what a process that is killed
    /// leaves to the next. Taken anew while files come and go.
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
                // One of the files has just gone.
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
