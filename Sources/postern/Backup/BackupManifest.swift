import Cryptography
import JSON

/// The description of a backup, `manifest.json`: its stores and the hashes of its files.
struct BackupManifest: Hashable, Sendable {
    /// The number of this form. A reader refuses others.
    static let format: Int64 = 1
    /// Its largest length in bytes. That of a backup with 64 keys is below 16 KiB, and each blob
    /// takes about 200 bytes: this is enough for a million.
    static let bytesMax: Int64 = 256 << 20

    /// A store of the backup.
    struct Store: Hashable, Sendable {
        /// The service, `rate-limit`.
        let service: String
        /// The store, `ratelimit`.
        let store: String
        /// The id of the master key without which nothing in the store can be opened.
        let keyID: String
        /// The schema of the tables that all stores have: the number of the last migration.
        let storageSchema: Int64
        /// The schema of the service's own tables.
        let serviceSchema: Int64
    }

    /// A file of the backup, other than the manifest.
    struct File: Hashable, Sendable {
        let entry: BackupEntry
        let byteCount: Int64
        /// The hash of its content (SHA-256).
        let hash: [UInt8]
    }

    /// When the stores had this state, `2026-01-31T09:05:00.250Z`.
    let createdAt: String
    /// The version of the tool that wrote it.
    let version: String
    let stores: [Store]
    /// The files in the order of the archive.
    let files: [File]
    /// Whether the backup contains the master keys.
    let hasKeys: Bool

    /// Its text.
    var text: [UInt8] {
        let stores = stores.map { store in
            JSONValue.object([
                "service": .string(store.service), "store": .string(store.store),
                "key_id": .string(store.keyID),
                "schema": .object([
                    "storage": .integer(store.storageSchema),
                    "service": .integer(store.serviceSchema),
                ]),
            ])
        }
        let files = files.map { file in
            JSONValue.object([
                "name": .string(file.entry.name), "bytes": .integer(file.byteCount),
                "sha256": .string(Hex.encode(file.hash)),
            ])
        }
        let json: JSONObject = [
            "format": .integer(Self.format), "created_at": .string(createdAt),
            "version": .string(version), "stores": .array(stores), "files": .array(files),
            "with_keys": .boolean(hasKeys),
        ]
        return Array((JSONWriter.text(.object(json), .required, pretty: true) + "\n").utf8)
    }

    init(
        createdAt: String, version: String, stores: [Store], files: [File], hasKeys: Bool
    ) {
        self.createdAt = createdAt
        self.version = version
        self.stores = stores
        self.files = files
        self.hasKeys = hasKeys
    }

    /// Reads its text.
    /// - Throws: `ToolError` for another format, and for a text that is not a manifest.
    init(_ text: [UInt8]) throws {
        guard let json = JSONReader.object(in: text), let format = json["format"]?.integer else {
            throw Self.invalid("it is not a JSON object with a format")
        }
        guard format == Self.format else {
            let version = json["version"]?.string.map { ", \($0)" } ?? ""
            throw ToolError(
                "the backup has format \(format), and this version reads \(Self.format): use the "
                    + "version that wrote it\(version)")
        }
        guard let createdAt = json["created_at"]?.string, let version = json["version"]?.string,
            case .boolean(let hasKeys) = json["with_keys"]
        else { throw Self.invalid("created_at, version or with_keys is missing") }
        self.init(
            createdAt: createdAt, version: version,
            stores: try Self.list(json["stores"], "stores", Store.init),
            files: try Self.list(json["files"], "files", File.init), hasKeys: hasKeys)
        guard Set(files.map(\.entry)).count == files.count,
            Set(stores.map(\.store)).count == stores.count
        else { throw Self.invalid("a file or a store is listed twice") }
    }

    private static func list<Item>(
        _ value: JSONValue?, _ name: String, _ read: (JSONObject) -> Item?
    ) throws -> [Item] {
        guard let values = value?.array else { throw invalid("\(name) is missing") }
        return try values.enumerated().map { index, value in
            guard let item = value.object.flatMap(read) else {
                throw invalid("\(name)[\(index)] is not valid")
            }
            return item
        }
    }

    private static func invalid(_ reason: String) -> ToolError {
        ToolError("manifest.json of the backup is not valid: \(reason)")
    }
}

extension BackupManifest.Store {
    fileprivate init?(_ json: JSONObject) {
        guard let service = json["service"]?.string, let store = json["store"]?.string,
            BackupEntry.services.contains(where: { $0.name == service && $0.store == store }),
            let keyID = json["key_id"]?.string, let schema = json["schema"]?.object,
            let storageSchema = schema["storage"]?.integer,
            let serviceSchema = schema["service"]?.integer
        else { return nil }
        self.init(
            service: service, store: store, keyID: keyID, storageSchema: storageSchema,
            serviceSchema: serviceSchema)
    }
}

extension BackupManifest.File {
    fileprivate init?(_ json: JSONObject) {
        guard let entry = json["name"]?.string.flatMap(BackupEntry.init), entry != .manifest,
            let byteCount = json["bytes"]?.integer, byteCount >= 0,
            let hash = json["sha256"]?.string.flatMap({ Hex.decode($0.utf8) }),
            hash.count == SHA256.byteCount
        else { return nil }
        self.init(entry: entry, byteCount: byteCount, hash: hash)
    }
}
