import FoundationEssentials
import Glibc
package import Storage

extension Store {
    /// Writes a backup of this store to the new file `path`, where a store can be opened on it. On
    /// a server it is what a dump is that was restored on another one.
    /// - Throws: as `snapshot`; `CocoaError` if the file exists or cannot be written; on a server
    ///   `SQLError`.
    package func backup(to path: String) async throws {
        if let server {
            let (name, folder) = Self.place(of: path)
            return try TestServer.shared.get().copy(
                server.schema, to: name, in: folder, isRestored: true)
        }
        let copy = try await snapshot(holdingCommitsFor: .zero).copied()
        try Data(try copy.read(copy.bytes, at: 0))
            .write(to: URL(filePath: path), options: .withoutOverwriting)
    }

    /// Puts a backup, in the same folder, into the place of this store, which is closed.
    /// - Throws: `CocoaError` if it cannot be moved; `TestServer.NotStarted`.
    package func replace(by path: String) throws {
        guard server == nil else {
            let (name, folder) = Self.place(of: path)
            return try TestServer.shared.get().replace(self.name, by: name, in: folder)
        }
        for end in ["-wal", "-shm"] { unlink(location + end) }
        guard rename(path, location) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The store whose file a path would be.
    private static func place(of path: String) -> (name: String, folder: String) {
        let url = URL(filePath: path)
        return (
            url.deletingPathExtension().lastPathComponent,
            String(path.dropLast(url.lastPathComponent.count + 1))
        )
    }
}
