import Storage

/// A file of a backup, by its name in the archive. The names are those of the files in the data
/// folders of the services. No other name is written or read: a name in a hostile archive could
/// otherwise lead out of the folder that it is extracted to.
enum BackupEntry: Hashable, Sendable {
    /// The database of a store: `identity.sqlite`.
    case database(store: String)
    /// A file of a journal of the rate limiter: `ratelimit.log.7`, `ratelimit-devices.snapshot.7`.
    case journal(name: String, part: JournalPart, generation: UInt64)
    /// A file that rows of a store name, with a photo for example: `blobs/<32 digits>`.
    case blob(BlobName, store: String)
    /// A master key: `keys/identity.key`.
    case key(String)
    /// The description of the backup, its last file: `manifest.json`.
    case manifest

    /// The two kinds of a journal's files.
    enum JournalPart: String, CaseIterable, Sendable {
        case log
        case snapshot
    }

    /// A service that has a store, and the names of its files.
    struct Service: Hashable, Sendable {
        /// The service's name in `endpoints.json`, which is also that of its master key.
        let name: String
        /// The stem of its files' names.
        let store: String
        var journals: [String] = []
        /// Whether rows of its store name blobs. One service has them, since the services of
        /// `postern up` share a data folder.
        var hasBlobs = false

        static let identity = Service(name: "identity", store: "identity", hasBlobs: true)
        static let session = Service(name: "session", store: "session")
        static let rateLimit = Service(
            name: "rate-limit", store: "ratelimit", journals: ["ratelimit", "ratelimit-devices"])
        static let notification = Service(name: "notification", store: "notification")
    }

    /// The services that have a store, in the order of their ports.
    static let services: [Service] = [.identity, .session, .rateLimit, .notification]

    /// The longest name of a key, without the ending.
    private static let keyNameMax = 64

    /// Nil for a name that no file of a backup has.
    init?(_ name: String) {
        if name == Self.manifest.name {
            self = .manifest
        } else if let key = Self.keyName(in: name) {
            self = .key(key)
        } else if let service = Self.services.first(where: { name == "\($0.store).sqlite" }) {
            self = .database(store: service.store)
        } else if let blob = Self.blob(name) {
            self = blob
        } else if let file = Self.journalFile(name) {
            self = file
        } else {
            return nil
        }
    }

    /// Its name in the archive.
    var name: String {
        switch self {
        case .database(let store): "\(store).sqlite"
        case .journal(let name, let part, let generation): "\(name).\(part.rawValue).\(generation)"
        case .blob(let name, _): "\(BlobFolder.name)/\(name.text)"
        case .key(let name): "keys/\(name).key"
        case .manifest: "manifest.json"
        }
    }

    /// The service that the file belongs to; nil for keys and the manifest.
    var service: Service? {
        switch self {
        case .database(let store), .blob(_, let store):
            Self.services.first { $0.store == store }
        case .journal(let name, _, _): Self.services.first { $0.journals.contains(name) }
        case .key, .manifest: nil
        }
    }

    /// The name of a key in `keys/NAME.key`; nil for another text.
    private static func keyName(in text: String) -> String? {
        guard text.hasPrefix("keys/"), text.hasSuffix(".key") else { return nil }
        let name = text.dropFirst("keys/".count).dropLast(".key".count)
        let isName = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        return isName && (1...keyNameMax).contains(name.utf8.count) ? String(name) : nil
    }

    private static func blob(_ text: String) -> BackupEntry? {
        let prefix = "\(BlobFolder.name)/"
        guard text.hasPrefix(prefix), let name = BlobName(text.dropFirst(prefix.count)),
            let service = services.first(where: \.hasBlobs)
        else { return nil }
        return .blob(name, store: service.store)
    }

    private static func journalFile(_ text: String) -> BackupEntry? {
        for journal in services.flatMap(\.journals) {
            for part in JournalPart.allCases {
                let prefix = "\(journal).\(part.rawValue)."
                guard text.hasPrefix(prefix), let number = UInt64(text.dropFirst(prefix.count))
                else { continue }
                let file = BackupEntry.journal(name: journal, part: part, generation: number)
                // One spelling for each number: not `+7` or `07`.
                return file.name == text ? file : nil
            }
        }
        return nil
    }
}
