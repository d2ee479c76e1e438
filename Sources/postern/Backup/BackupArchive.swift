import Cryptography
import Glibc
import Storage

/// Extracts a decrypted archive into a folder, and compares every file with the manifest, which is
/// the archive's last one.
struct BackupArchive {
    /// Of these services the files are written; those of others are only compared.
    let services: [StoredService]
    let folder: Folder

    /// Reads the whole archive. The files are on disk on return.
    /// - Parameter source: returns the archive's bytes, in parts; nil at its end.
    /// - Throws: `ToolError` for damage; what the source throws; `CancellationError`.
    func extract(_ source: @escaping () throws -> [UInt8]?) throws -> BackupManifest {
        var archive = TarReader(source)
        var files: [BackupManifest.File] = []
        var manifest: BackupManifest?
        while let header = try archive.next() {
            guard manifest == nil else {
                throw ToolError("the backup has \(header.entry.name) after its manifest")
            }
            if header.entry == .manifest {
                manifest = try Self.manifest(header, &archive)
            } else {
                files.append(try extract(header, &archive))
            }
        }
        guard let manifest else { throw ToolError("the backup ends without its manifest") }
        try Self.require(files, as: manifest)
        if folder.has(BlobFolder.name) { try folder.folder(BlobFolder.name).sync() }
        try folder.sync()
        return manifest
    }

    private func extract(
        _ header: TarHeader, _ archive: inout TarReader
    ) throws -> BackupManifest.File {
        let file = try output(header.entry)
        var hash = SHA256()
        while let part = try archive.read() {
            try Task.checkCancellation()
            hash.update(part)
            try file?.write(part)
        }
        try file?.sync()
        return BackupManifest.File(
            entry: header.entry, byteCount: header.byteCount, hash: hash.finish())
    }

    /// The file to write; nil for one of another service.
    private func output(_ entry: BackupEntry) throws -> OutputFile? {
        if case .key = entry {
            try folder.folder(BackupKeys.folderName).make()
        } else if !services.contains(where: { $0.files == entry.service }) {
            return nil
        } else if case .blob = entry {
            try folder.folder(BlobFolder.name).make()
        }
        return try OutputFile(folder.file(entry.name), flags: O_EXCL)
    }

    private static func manifest(
        _ header: TarHeader, _ archive: inout TarReader
    ) throws -> BackupManifest {
        guard header.byteCount <= BackupManifest.bytesMax else {
            throw ToolError(
                "the backup's manifest has \(header.byteCount) bytes, which is too many")
        }
        var text: [UInt8] = []
        while let part = try archive.read() { text += part }
        return try BackupManifest(text)
    }

    /// - Throws: `ToolError` that names the first file that differs.
    private static func require(
        _ files: [BackupManifest.File], as manifest: BackupManifest
    ) throws {
        let (found, listed) = (Set(files), Set(manifest.files))
        for file in files where !listed.contains(file) {
            throw ToolError("\(file.entry.name) of the backup is not what its manifest says")
        }
        for file in manifest.files where !found.contains(file) {
            throw ToolError("\(file.entry.name) is missing in the backup")
        }
        let databases = Set(
            files.compactMap { if case .database(let store) = $0.entry { store } else { nil } })
        let hasKeys = files.contains { if case .key = $0.entry { true } else { false } }
        guard databases == Set(manifest.stores.map(\.store)), hasKeys == manifest.hasKeys else {
            throw ToolError("the backup's manifest lists other stores or keys than it has")
        }
    }
}

/// The master keys in a backup.
enum BackupKeys {
    /// The folder of the archive that they are in.
    static let folderName = "keys"

    /// Puts each key into a folder of keys, durably. A key that is there already remains.
    /// - Throws: `ToolError` for another key under the same name, `SecretFileError`.
    static func place(from source: Folder, in target: Folder) throws {
        try target.make()
        let names = try source.names()
        for name in names where target.has(name) {
            let present = try SecretFile.read(target.file(name))
            guard present == (try SecretFile.read(source.file(name))) else {
                throw ToolError(
                    "\(target.file(name)) is another key than the one in the backup, and a restore "
                        + "replaces nothing: move it away, or name another folder with --keys")
            }
        }
        for name in names where !target.has(name) {
            try SecretFile.create(target.file(name), SecretFile.read(source.file(name)))
        }
    }
}
