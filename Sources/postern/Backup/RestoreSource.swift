import Cryptography
import Glibc
import ServiceRuntime
import Storage

/// Where a restore takes the files of stores from.
enum RestoreSource {
    /// A file of `postern backup`.
    case backup(BackupReader)
    /// A folder with files that were copied by hand, or a volume's snapshot.
    case folder(Folder)

    /// - Parameter path: the value of `--from`.
    /// - Throws: `ToolError`.
    init(_ path: String, identity: IdentityOptions) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ToolError.system(path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR {
            self = .folder(Folder(path: path))
        } else {
            self = .backup(try BackupReader(path, identity))
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

/// Reads a file of `postern backup`, with what decrypts it.
struct BackupReader {
    let path: String
    private let identities: [AgeIdentity]

    /// - Throws: `ToolError` if nothing is named that decrypts it; `SecretFileError`.
    init(_ path: String, _ options: IdentityOptions) throws {
        guard let identities = try options.identities() else {
            throw ToolError(
                "\(path) is encrypted: say what opens it, --identity FILE or --passphrase-file FILE"
            )
        }
        self.init(path, identities)
    }

    init(_ path: String, _ identities: [AgeIdentity]) {
        self.path = path
        self.identities = identities
    }

    /// Decrypts the whole file, and writes the files of these services into a folder, durable on
    /// return.
    /// - Throws: `ToolError` for damage, with the byte of the file or the name of what is missing.
    func extract(_ services: [StoredService], into folder: Folder) throws -> RestoredFiles {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ToolError.system(path, errno) }
        defer { close(file) }
        let manifest: BackupManifest
        do {
            let reader = try AgeReader(identities: identities) { count in
                var bytes = [UInt8](repeating: 0, count: count)
                let got = bytes.withUnsafeMutableBytes { Files.read(into: $0, from: file) }
                guard let got else { throw ToolError.system(path, errno) }
                return Array(bytes[..<got])
            }
            manifest = try BackupArchive(services: services, folder: folder).extract {
                try reader.next()
            }
        } catch let error as AgeFileError {
            let option =
                switch error.reason {
                case .needsKey: ": --identity FILE"
                case .needsPassphrase: ": --passphrase-file FILE"
                default: ""
                }
            throw ToolError("\(path), \(error)\(option)")
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
