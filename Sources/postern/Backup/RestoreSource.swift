import Cryptography
import Glibc
import Storage

/// Where a restore takes the files of stores from.
enum RestoreSource {
    /// A file of `postern backup`.
    case backup(BackupReader)
    /// A folder with files that were copied by hand, or a volume's snapshot.
    case folder(Folder)

    /// - Parameters:
    ///   - path: the value of `--from`.
    ///   - identity: the file of the key; nil for a backup to a passphrase.
    /// - Throws: `ToolError`, `SecretFileError`.
    init(_ path: String, identity: String?) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ToolError.system(path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR {
            self = .folder(Folder(path: path))
        } else {
            self = .backup(try BackupReader(path, identity: identity, by: .installed))
        }
    }

    /// Whether the stores have no mark yet that makes their first start a restore.
    var isCopiedByHand: Bool {
        if case .folder = self { true } else { false }
    }

    /// Writes the files of the services' stores, durable on return.
    /// - Throws: `ToolError`, and what `BackupReader.extract` throws.
    func write(_ services: [StoredService], to target: Folder) throws -> RestoredFiles {
        switch self {
        case .backup(let file): try file.extract(services, into: target)
        case .folder(let folder): try Self.copy(services, from: folder, to: target)
        }
    }

    private static func copy(
        _ services: [StoredService], from source: Folder, to target: Folder
    ) throws -> RestoredFiles {
        let names = try source.names()
        for service in services where !names.contains(service.file) {
            throw ToolError(
                names.contains("data")
                    ? "\(source.path) has no \(service.file): is it in \(source.path)/data?"
                    : "\(source.path) has no \(service.file): copy it there too, or name the one "
                        + "service to restore with --only")
        }
        if let holder = source.holder(of: services) {
            throw ToolError(
                "\(source.path) is in use by process \(holder): stop that process first, or make a "
                    + "backup of the running services with `postern backup`")
        }
        for name in names where services.contains(where: { $0.copies(name) }) {
            try Task.checkCancellation()
            try source.copy(name, to: target)
        }
        if services.contains(where: \.files.hasBlobs), names.contains(BlobFolder.name) {
            try copyBlobs(source.folder(BlobFolder.name), to: target.folder(BlobFolder.name))
        }
        try target.sync()
        return RestoredFiles(
            keys: nil,
            origin:
                "copied by hand: commits may be missing if the services ran meanwhile, or if the "
                + "files are not all of one moment")
    }

    /// Only files with the names of blobs, so not those that were not complete.
    private static func copyBlobs(_ source: Folder, to target: Folder) throws {
        try target.make()
        for name in try source.names() where BlobName(name) != nil {
            try Task.checkCancellation()
            try source.copy(name, to: target)
        }
        try target.sync()
    }
}

/// What is known of the files of a restore before they are checked.
struct RestoredFiles {
    /// The folder with the backup's master keys; nil if there are none.
    let keys: Folder?
    /// Where they come from, for the operator.
    let origin: String
}

/// Opens a file of `postern backup`.
struct BackupReader {
    let path: String
    private let identity: String?
    private let age: AgeProgram

    /// - Parameter identity: the file of the key; nil for a backup to a passphrase.
    /// - Throws: `SecretFileError` for a key that others may read, which `age` would take.
    init(_ path: String, identity: String?, by age: AgeProgram) throws {
        if let identity { _ = try SecretFile.read(identity) }
        self.path = path
        self.identity = identity
        self.age = age
    }

    /// Decrypts the whole file, and writes the files of these services into a folder, durable on
    /// return. They may be used then only: of a file that is cut, a part is written before `age`
    /// notices the cut.
    /// - Throws: `ToolError` for damage, with what `age` says or the name of what is missing;
    ///   `CancellationError`.
    func extract(_ services: [StoredService], into folder: Folder) throws -> RestoredFiles {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ToolError.system(path, errno) }
        defer { close(file) }
        let terminal = TerminalSettings()
        let content = try age.opening(file, named: path, identity: identity)
        let manifest: BackupManifest
        do {
            manifest = try BackupArchive(services: services, folder: folder).extract {
                try content.read()
            }
        } catch {
            content.stop()
            // It may have been asking for a passphrase.
            terminal.restore()
            throw error
        }
        for service in services
        where !manifest.stores.contains(where: { $0.service == service.name }) {
            throw ToolError("\(path) has no store of \(service.name)")
        }
        return RestoredFiles(
            keys: manifest.hasKeys ? folder.folder(BackupKeys.folderName) : nil,
            // Anyone who has the public half of the key can write a manifest.
            origin: "made at \(manifest.createdAt) by version \(manifest.version)".printable)
    }
}
