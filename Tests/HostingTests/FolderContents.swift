import FoundationEssentials
import TestSupport

extension TemporaryFolder {
    /// The names of its entries, sorted.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: file(name), withIntermediateDirectories: false)
    }
}
