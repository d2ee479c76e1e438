import Cryptography
import Hosting
import Messages
import RPC
import ServiceRuntime

/// Writes the stores that are held, the master keys if they are wanted, and the manifest into the
/// archive of a backup. Memory is bounded by one item of a service.
struct BackupContents {
    let hold: StoreHold
    /// The folder of the master keys that the backup contains; nil for none.
    let keysFolder: String?
    let version: String

    /// Writes the archive.
    /// - Parameters:
    ///   - write: takes the archive's bytes, in order.
    ///   - progress: gets the name of each file, and how much of it was written, in bytes.
    /// - Throws: `ServiceFailure`, `ToolError`, `SecretFileError`, `CancellationError`; what
    ///   `write` throws.
    func write(
        to write: @escaping ([UInt8]) throws -> Void,
        progress: (BackupEntry, _ done: Int64, _ total: Int64) -> Void
    ) async throws -> BackupManifest {
        let stores = hold.stores.map(Self.description)
        let keys = try keysFolder.map { try MasterKeys(folder: $0, for: stores) }
        var archive = TarWriter(changedAt: max(0, hold.at.seconds), write: write)
        var files: [BackupManifest.File] = []
        for store in hold.stores {
            files += try await Self.copy(store, into: &archive, progress)
        }
        for key in keys?.files ?? [] {
            let bytes = key.secret.withBytes { Array($0) }
            files.append(try Self.add(key.entry, bytes, to: &archive))
        }
        let manifest = BackupManifest(
            createdAt: hold.at.text, version: version, stores: stores, files: files,
            hasKeys: keys != nil)
        let text = manifest.text
        guard text.count <= BackupManifest.bytesMax else {
            throw ToolError(
                "the backup has \(files.count) files, which is more than a manifest lists")
        }
        _ = try Self.add(.manifest, text, to: &archive)
        try archive.finish()
        return manifest
    }

    private static func description(_ store: StoreHold.HeldStore) -> BackupManifest.Store {
        BackupManifest.Store(
            service: store.source.service.name, store: store.source.service.store,
            keyID: store.description.keyId,
            storageSchema: Int64(store.description.storageSchema),
            serviceSchema: Int64(store.description.serviceSchema))
    }

    /// Copies the files of one store.
    private static func copy(
        _ store: StoreHold.HeldStore, into archive: inout TarWriter,
        _ progress: (BackupEntry, Int64, Int64) -> Void
    ) async throws -> [BackupManifest.File] {
        let service = store.source.service
        var items = store.items.makeAsyncIterator()
        var files: [BackupManifest.File] = []
        var entries: Set<BackupEntry> = []
        while let part = try await next(of: &items, from: service) {
            guard case .file(let file) = part, let entry = BackupEntry(file.name),
                entry.service == service, file.bytes >= 0, entries.insert(entry).inserted
            else { throw service.unexpected }
            try archive.begin(entry, byteCount: file.bytes)
            var hash = SHA256()
            var done: Int64 = 0
            while done < file.bytes {
                guard case .data(let bytes) = try await next(of: &items, from: service),
                    !bytes.isEmpty
                else { throw service.unexpected }
                try archive.add(bytes)
                hash.update(bytes)
                done += Int64(bytes.count)
                progress(entry, done, file.bytes)
            }
            files.append(
                BackupManifest.File(entry: entry, byteCount: done, hash: hash.finish()))
        }
        guard entries.contains(.database(store: service.store)) else {
            throw service.unexpected
        }
        return files
    }

    private static func next(
        of items: inout IncomingItems<BackupV1.CopyStoreItem>.AsyncIterator,
        from service: BackupEntry.Service
    ) async throws -> BackupV1.CopyStoreItem.Part? {
        try Task.checkCancellation()
        do {
            guard let item = try await items.next() else { return nil }
            guard let part = item.part else { throw service.unexpected }
            return part
        } catch let error as ServiceError {
            throw ServiceFailure(service: service.name, error: error)
        }
    }

    private static func add(
        _ entry: BackupEntry, _ bytes: [UInt8], to archive: inout TarWriter
    ) throws -> BackupManifest.File {
        try archive.begin(entry, byteCount: Int64(bytes.count))
        try archive.add(bytes)
        return BackupManifest.File(
            entry: entry, byteCount: Int64(bytes.count), hash: SHA256.hash(bytes))
    }
}

/// The master keys of a folder, for a backup that contains them.
struct MasterKeys {
    /// A key's file.
    struct File {
        let entry: BackupEntry
        let secret: SecretBytes
    }

    let files: [File]

    /// Reads all files `NAME.key` of the folder.
    /// - Throws: `ToolError` if one of the stores needs a key that is not among them;
    ///   `SecretFileError`.
    init(folder path: String, for stores: [BackupManifest.Store]) throws {
        let folder = Folder(path: path)
        for store in stores {
            let file = folder.file("\(store.service).key")
            let check = ServiceHost.storeCheck(of: try SecretFile.readKey(file))
            guard ServiceHost.keyID(ofCheck: check) == store.keyID else {
                throw ToolError(
                    "\(file) is not the key of the running service \(store.service), whose id is "
                        + "\(store.keyID): name the folder of its keys with --keys")
            }
        }
        files = try folder.names().compactMap { name in
            guard let entry = BackupEntry("keys/\(name)"), case .key = entry else { return nil }
            return File(entry: entry, secret: try SecretFile.read(folder.file(name)))
        }
    }
}
