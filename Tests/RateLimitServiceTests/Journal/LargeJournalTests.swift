import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: a large journal is restored", .timeLimit(.minutes(5)))
struct LargeJournalTests {
    /// More in each shard than its list of changes holds.
    private static let subjects: UInt64 = 20_000
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("R-06: if there are too many changes to list, none is lost")
    func unlisted() async throws {
        let fixture = try JournaledTable(folder)
        for subject in 0..<Self.subjects { fixture.charge(subject) }
        // Removed before they were ever written, then charged again, and charged twice.
        for subject in stride(from: 0, to: Self.subjects, by: 3) {
            let request = JournaledTable.request(subject)
            _ = fixture.table.apply(.reset, request, at: JournaledTable.now)
            if subject % 2 == 0 { fixture.charge(subject) }
        }
        try await fixture.table.persisted()
        #expect(try fixture.contentsAfterKill() == fixture.contents)
        // Removed while as many others wait to be written.
        for subject in 0..<Self.subjects where subject % 3 > 0 {
            fixture.charge(subject)
            guard subject % 5 == 0 else { continue }
            _ = fixture.table.apply(
                .reset, JournaledTable.request(subject), at: JournaledTable.now)
        }
        try await fixture.table.persisted()
        #expect(try fixture.contentsAfterKill() == fixture.contents)
        fixture.table.close()
    }

    @Test(
        "R-06: a snapshot and logs read by several threads restore every state",
        arguments: [(100_000, true), (1_000, true), (10_000_000, false)])
    func restart(statesMax: Int, hasSnapshot: Bool) async throws {
        // All six rounds together write a little more.
        let fixture = try JournaledTable(folder, logBytes: hasSnapshot ? 2 << 20 : 1 << 30)
        for round in 0..<6 {
            for subject in 0..<Self.subjects where subject % 6 <= round {
                fixture.charge(subject, at: JournaledTable.now + .seconds(round))
            }
            try await fixture.table.persisted()
        }
        if hasSnapshot { try await fixture.snapshot(1) }
        for subject in stride(from: 0, to: Self.subjects, by: 7) {
            fixture.charge(subject, at: JournaledTable.now + .seconds(9))
        }
        let contents = fixture.contents
        fixture.table.close()
        // With the same number of shards, fewer or more.
        let next = try JournaledTable(folder, statesMax: statesMax)
        #expect(next.contents == contents)
        #expect(next.charge(0, at: JournaledTable.now + .seconds(9)).isLimited)
        next.table.close()
    }
}
