import FoundationEssentials
package import Storage

extension Store {
    /// Writes a backup of this store to the new file `path`, where a store can be opened on it.
    /// - Throws: as `snapshot`; `CocoaError` if the file exists or cannot be written.
    package func backup(to path: String) async throws {
        let copy = try await snapshot(holdingCommitsFor: .zero).copied()
        try Data(try copy.read(copy.bytes, at: 0))
            .write(to: URL(filePath: path), options: .withoutOverwriting)
    }
}
