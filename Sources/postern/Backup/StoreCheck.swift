import Cryptography
import Hosting
import JSON
import ServiceRuntime
import Storage

/// A copied store in a folder that no program uses, after every page of it was read.
struct StoreCheck {
    let service: StoredService
    /// The length of its files.
    let bytes: Int64
    /// The last migration of each component.
    let schema: StoreSchema
    /// The master key that it needs; nil in a store of a version that wrote no check value.
    let keyID: String?
    let key: KeyFit
    /// What the first start of the service on it ends, without what it has none of. Empty for a
    /// store of an earlier version, which has other tables.
    let ends: [(what: String, count: Int)]

    /// Opens and reads the whole store.
    /// - Parameters:
    ///   - keys: the folder of master keys to try; nil for none.
    ///   - marks: makes a copy that was made by hand what a backup is.
    /// - Throws: `StoreError`, `JournalError` with the damage; `ToolError` for a schema that this
    ///   version does not know.
    init(
        of service: StoredService, in folder: Folder, keys: String?, marks: Bool = false
    ) throws {
        self.service = service
        let files = try folder.names().filter(service.copies)
        bytes =
            try files.reduce(0) { $0 + (try folder.length(of: $1)) }
            + (service.files.hasBlobs ? Self.blobBytes(in: folder) : 0)
        let copy = try CopiedStore(folder.file(service.file))
        try copy.check()
        schema = StoreSchema(try copy.schema())
        try schema.requireKnown(of: service)
        try copy.requireSchema(of: service.migrations)
        if marks { try copy.mark() }
        guard try copy.isMarked() else {
            throw ToolError(
                "\(folder.file(service.file)) is not marked as a copy, so `postern backup` did not "
                    + "make it")
        }
        for journal in service.files.journals {
            try Journal.check(folder: folder.path, name: journal)
        }
        let check = try copy.keyCheck()
        keyID = check.map(ServiceHost.keyID)
        key = try KeyFit(of: service, check: check, in: keys)
        ends =
            schema.service == service.schema
            ? try service.ends(copy.session, SystemTime().now()).filter { $0.count > 0 } : []
    }

    private static func blobBytes(in folder: Folder) throws -> Int64 {
        guard folder.has(BlobFolder.name) else { return 0 }
        let blobs = folder.folder(BlobFolder.name)
        return try blobs.names().reduce(0) { $0 + (try blobs.length(of: $1)) }
    }

    /// What the next start ends, as text: `12 open sessions, 3 links`.
    var endsText: String { ends.map { "\($0.count) \($0.what)" }.joined(separator: ", ") }

    /// Its line.
    var row: Row {
        let size = "\(bytes) bytes"
        return Row([
            .init("service", service.name, phrase: service.name.padded(to: 13)),
            .init("state", "whole"),
            .init("bytes", .integer(bytes), text: "\(bytes)", phrase: size),
            .init(
                "schema", .integer(Int64(schema.service)), text: "\(schema.service)",
                phrase: "schema \(schema.service)"),
            .init(json: "storage_schema", .integer(Int64(schema.storage))),
            .init(
                "key_id", keyID.map { .string($0) } ?? .null, text: keyID ?? "",
                phrase: keyID.map { "\(service.keyFile) \($0)" } ?? ""),
            .init("key", key.text),
            .init(
                "ends",
                .object(
                    JSONObject(
                        unique: ends.map { .init(name: $0.what, value: .integer(Int64($0.count))) })
                ), text: endsText, phrase: ends.isEmpty ? "" : "first start ends \(endsText)",
                heading: "first start ends"),
        ])
    }
}

/// The numbers of the last migrations in a store.
struct StoreSchema: Hashable, Sendable {
    /// Of the tables that all stores have.
    let storage: Int
    /// Of the service's own tables.
    let service: Int

    init(storage: Int, service: Int) {
        self.storage = storage
        self.service = service
    }

    /// - Parameter numbers: the last migration of each component.
    init(_ numbers: [String: Int]) {
        self.init(storage: numbers["storage"] ?? 0, service: numbers["service"] ?? 0)
    }

    /// - Throws: `ToolError` if a newer version made the store. Its migrations only add, so an
    ///   older program runs on it; but it would keep neither what they added nor the promises about
    ///   it.
    func requireKnown(of service: StoredService) throws {
        guard self.service <= service.schema, storage <= CopiedStore.storageSchema else {
            throw ToolError(
                "the store of \(service.name) has schema \(self.service) (\(storage)), and this "
                    + "version knows \(service.schema) (\(CopiedStore.storageSchema)): use the "
                    + "`postern` of the version that made it, or a newer one")
        }
    }
}

/// Whether a folder of master keys has the one that a store needs.
enum KeyFit: Equatable {
    /// No folder was named.
    case notTried
    /// The key opens the store.
    case fits
    /// The folder has no such file.
    case missing(String)
    /// The file has another key.
    case other(String)
    /// The store has no check value, so only a start of its service can tell.
    case unknown

    init(of service: StoredService, check: [UInt8]?, in folder: String?) throws {
        guard let folder else {
            self = .notTried
            return
        }
        let keys = Folder(path: folder)
        let file = keys.file(service.keyFile)
        guard keys.has(service.keyFile) else {
            self = .missing(file)
            return
        }
        guard let check else {
            self = .unknown
            return
        }
        self =
            try ServiceHost.storeCheck(of: SecretFile.readKey(file)) == check ? .fits : .other(file)
    }

    /// Whether a start with these keys would fail.
    var isWrong: Bool {
        switch self {
        case .missing, .other: true
        case .notTried, .fits, .unknown: false
        }
    }

    /// Its text in a line.
    var text: String {
        switch self {
        case .notTried: ""
        case .fits: "fits"
        case .missing(let file): "there is no \(file)"
        case .other(let file): "\(file) is another key"
        case .unknown: "known only after a start"
        }
    }
}
