import FoundationEssentials
import ServiceRuntime
import Storage
import TestSupport

@testable import RateLimitService

/// A table with a journal in a folder, as one run of a program opens it.
struct JournaledTable {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)
    let folder: TemporaryFolder
    let table: LimitTable
    let log = CapturedLog()

    init(
        _ folder: TemporaryFolder, files: any JournalFiles = DiskFiles(),
        logBytes: Int = Journal.logBytesDefault, statesMax: Int = 100_000,
        writes: PartCondition? = nil, at now: Timestamp = Self.now
    ) throws {
        self.folder = folder
        var location = LimitJournalLocation(folder: folder.path, name: "limits")
        location.files = files
        location.logBytes = logBytes
        location.writes = writes
        table = try LimitTable(
            statesMax: statesMax, journal: location, at: now,
            logger: log.logger(time: ManualTime()),
            rules: TrafficOfLimits.rule)
    }

    /// Charges a window of 5 for a subject.
    @discardableResult
    func charge(_ subject: UInt64, at now: Timestamp = Self.now) -> LimitVerdict {
        table.apply(.consume, [Self.request(subject)], at: now)
    }

    static func request(_ subject: UInt64) -> LimitRequest {
        let hash = SeededRandomness(seed: subject)
        return LimitRequest(
            key: LimitKey(limit: 0, high: hash.next(), low: hash.next()),
            rule: TrafficOfLimits.counting[0], isShadow: false)
    }

    /// How many charges of a subject count.
    func charges(_ subject: UInt64) -> Int {
        contents[Self.request(subject).key]?.moments.count ?? 0
    }

    /// All states.
    var contents: [LimitKey: LimitState] {
        var contents: [LimitKey: LimitState] = [:]
        table.shards.forEachLocked { shard in
            shard.pointee.forEach { key, state in
                contents[key] = LimitState(state)
            }
        }
        return contents
    }

    /// Returns once the snapshot with this number exists.
    func snapshot(_ number: Int) async throws {
        let path = folder.file("limits.snapshot.\(number)")
        while !FileManager.default.fileExists(atPath: path) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The states that a program would restore if this one were killed now.
    func contentsAfterKill() throws -> [LimitKey: LimitState] {
        let next = try JournaledTable(try folder.copy())
        defer { next.table.close() }
        return next.contents
    }
}
