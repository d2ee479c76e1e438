import Cryptography
import Glibc
import Hosting
import IdentityAssembly
import IdentityService
import NotificationService
import RateLimitService
import ServiceRuntime
import SessionService
import Storage
import TestSupport

@testable import postern

/// The four stores in a folder, as `postern backup` copies them, and their master keys.
struct BackedUpStores {
    let temporary: TemporaryFolder
    /// The copies.
    let folder: Folder
    /// The master keys.
    let keys: Folder

    init() async throws {
        temporary = try TemporaryFolder()
        folder = Folder(path: temporary.file("copies"))
        keys = Folder(path: temporary.file("keys"))
        try folder.make()
        try keys.make()
        for service in StoredService.all { try await make(service) }
        try temporary.write("", to: "copies/ratelimit.log.0")
        // Locks, and the numbers of runs.
        for name in try folder.names() where BackupEntry(name) == nil { try folder.remove(name) }
    }

    /// A store of one service, closed and marked as a copy.
    private func make(_ service: StoredService) async throws {
        let master = SecretBytes.generate(count: 32, randomness: SecureRandomness())
        let key = keys.file(service.keyFile)
        try SecretFile.create(key, master)
        let store = try TestStore.open(
            service.files.store, Self.migrations(of: service), in: folder.path)
        try await store.requireKey(check: ServiceHost.storeCheck(of: master), file: key) {
            _, _ in []
        }
        store.close()
        try CopiedStore(folder.file(service.file)).mark()
    }

    /// The files of a backup of these stores.
    func archive(withKeys: Bool = false) throws -> BackupParts {
        var parts = BackupParts()
        for name in try folder.names() {
            guard let entry = BackupEntry(name) else { continue }
            parts.files.append((entry, try TextFile.read(folder.file(name))))
        }
        for service in StoredService.all {
            let copy = try CopiedStore(folder.file(service.file))
            let schema = StoreSchema(try copy.schema())
            parts.stores.append(
                .init(
                    service: service.name, store: service.files.store,
                    keyID: Hex.encode((try copy.keyCheck() ?? []).prefix(4)),
                    storageSchema: Int64(schema.storage), serviceSchema: Int64(schema.service)))
        }
        guard withKeys else { return parts }
        for name in try keys.names() {
            let entry = BackupEntry.key(String(name.dropLast(".key".count)))
            parts.files.append((entry, try TextFile.read(keys.file(name))))
        }
        return parts
    }

    private static func migrations(of service: StoredService) -> [Migration] {
        switch service.files {
        case .identity: IdentityTables.migrations
        case .session: SessionTables.migrations
        case .rateLimit: RateLimitTables.migrations
        default: NotificationStore.migrations
        }
    }
}

/// A backup before it is encrypted, whose parts a test can change.
struct BackupParts {
    var files: [(entry: BackupEntry, bytes: [UInt8])] = []
    var stores: [BackupManifest.Store] = []
    /// The manifest's own list; that of `files` if nil.
    var listed: [BackupManifest.File]?

    /// The manifest.
    var manifest: BackupManifest {
        let hasKeys = files.contains { if case .key = $0.entry { true } else { false } }
        return BackupManifest(
            createdAt: "2026-01-31T09:05:00.250Z", version: "0.1.0", stores: stores,
            files: listed ?? list, hasKeys: hasKeys)
    }

    /// The files as a manifest lists them.
    var list: [BackupManifest.File] {
        files.map {
            .init(entry: $0.entry, byteCount: Int64($0.bytes.count), hash: SHA256.hash($0.bytes))
        }
    }

    /// The archive.
    func tar(manifestFirst: Bool = false, hasManifest: Bool = true) throws -> [UInt8] {
        let archive = Bytes()
        var writer = TarWriter(changedAt: 0) { archive.bytes += $0 }
        var all = files
        if hasManifest {
            let last: (BackupEntry, [UInt8]) = (.manifest, manifest.text)
            all.insert(last, at: manifestFirst ? 0 : all.count)
        }
        for file in all {
            try writer.begin(file.entry, byteCount: Int64(file.bytes.count))
            try writer.add(file.bytes)
        }
        try writer.finish()
        return archive.bytes
    }

    private final class Bytes {
        var bytes: [UInt8] = []
    }
}

/// Hands out bytes in parts, as a decrypted file does.
func parts(of bytes: [UInt8], length: Int = 60_000) -> () throws -> [UInt8]? {
    var rest = bytes[...]
    return {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }
}
