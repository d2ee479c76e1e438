import Contracts
import ServiceRuntime
import Storage

/// The location of a table's journal.
struct LimitJournalPlace: Sendable {
    let folder: String
    let name: String
    var files: any JournalFiles = DiskFiles()
    var logBytes = Journal.logBytesDefault
    /// Is notified whether writes reach the disk; nil without a health report.
    var writes: PartCondition?

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }
}

extension LimitJournalPlace {
    /// Beside a store and with its name: `ratelimit.log.0` beside `ratelimit.sqlite`.
    init(beside store: Store) {
        let path = store.location
        let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        self.init(
            folder: slash == path.startIndex ? "." : String(path[..<slash].dropLast()),
            name: String(path[slash...].prefix { $0 != "." }))
        writes = store.writes
    }
}
