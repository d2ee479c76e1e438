import FoundationEssentials
import TestSupport

extension TemporaryFolder {
    /// The names of the folder's entries, sorted.
    var names: [String] {
        // A folder that cannot be listed counts as empty, which fails the test.
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Whether any file in the folder holds these bytes.
    func anyFileContains(_ bytes: [UInt8]) -> Bool {
        names.contains { name in
            guard let data = FileManager.default.contents(atPath: file(name)) else { return false }
            return data.firstRange(of: Data(bytes)) != nil
        }
    }
}
