import JSON
import ServiceRuntime

/// What `postern backup` prints about a backup.
struct BackupSummary: Sendable {
    let file: String
    /// The length of the file.
    let byteCount: Int64
    /// How long the whole took.
    let duration: Duration
    /// How long each service held its commits.
    let hold: Duration
    /// The number of tries to hold all at one moment.
    let tries: Int
    let manifest: BackupManifest

    /// Its lines.
    var text: [String] {
        let tenths = max(1, duration.milliseconds / 100)
        let times = tries == 1 ? "" : ", at try \(tries)"
        let stores = manifest.stores.map { store in
            "  \(store.service.padded(to: 14))\(Self.size(byteCount(of: store)))"
        }
        return [
            "\(file): \(Self.size(byteCount)) in \(tenths / 10).\(tenths % 10) s",
            "all stores as of \(manifest.createdAt); commits were held for "
                + "\(hold.milliseconds) ms\(times)",
        ] + stores + [keysText]
    }

    /// As JSON.
    var json: JSONValue {
        let stores = manifest.stores.map { store in
            JSONValue.object([
                "service": .string(store.service), "bytes": .integer(byteCount(of: store)),
                "key_id": .string(store.keyID),
            ])
        }
        return .object([
            "file": .string(file), "bytes": .integer(byteCount),
            "created_at": .string(manifest.createdAt),
            "duration_ms": .integer(duration.milliseconds),
            "hold_ms": .integer(hold.milliseconds), "tries": .integer(Int64(tries)),
            "with_keys": .boolean(manifest.hasKeys), "stores": .array(stores),
        ])
    }

    /// The keys, each time: a backup is lost with them, and that is noticed when it is needed.
    private var keysText: String {
        let keys = manifest.stores.map { store in
            "\(store.service).key" + (store.keyID.isEmpty ? "" : " \(store.keyID)")
        }.joined(separator: ", ")
        return manifest.hasKeys
            ? "contains the keys that open it: \(keys)"
            : "opens nothing without these keys: \(keys)"
    }

    private func byteCount(of store: BackupManifest.Store) -> Int64 {
        manifest.files.filter { $0.entry.service?.store == store.store }
            .reduce(0) { $0 + $1.byteCount }
    }

    /// A number of bytes as text: `512 B`, `1.2 MB`.
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1_000 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes / 100, "kB")
        for larger in ["MB", "GB", "TB"] where tenths >= 10_000 {
            (tenths, unit) = (tenths / 1_000, larger)
        }
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
