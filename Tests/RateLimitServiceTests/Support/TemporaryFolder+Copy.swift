import FoundationEssentials
import Storage
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
            guard try self.names() == names else { continue }
            if TestStore.isOnServer {
                try TestServer.shared.get().copyStores(of: path, to: copy.path)
            }
            for name in names where name.hasSuffix(".sqlite") {
                // The files of a killed process are its own, and no copies (`StoreFileVerdict`).
                let store = try SQLiteEngine().openWriter(copy.file(name))
                try store.execute("UPDATE store_file SET born_ns = NULL")
            }
            return copy
        }
        throw NeverStill()
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
