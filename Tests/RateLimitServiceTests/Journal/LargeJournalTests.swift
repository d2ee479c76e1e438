import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: a journal of many", .timeLimit(.minutes(5)))
struct LargeJournalTests {
    /// In each stripe more than its list of changes holds.
    private static let subjects: UInt64 = 20_000
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("R-06: of so many changes at once that they are not listed, none is lost")
    func unlisted() async throws {
        let house = try JournaledTable(folder)
        for subject in 0..<Self.subjects { house.charge(subject) }
        // Forgotten before they were ever written, charged anew after that, and charged twice.
        for subject in stride(from: 0, to: Self.subjects, by: 3) {
            let request = JournaledTable.request(subject)
            _ = house.table.decide(.reset, request, at: JournaledTable.now)
            if subject % 2 == 0 { house.charge(subject) }
        }
        try await house.table.persisted([])
        #expect(try house.contentsAfterKill() == house.contents)
        // Forgotten while as many others wait to be written.
        for subject in 0..<Self.subjects where subject % 3 > 0 {
            house.charge(subject)
            guard subject % 5 == 0 else { continue }
            _ = house.table.decide(
                .reset, JournaledTable.request(subject), at: JournaledTable.now)
        }
        try await house.table.persisted([])
        #expect(try house.contentsAfterKill() == house.contents)
        house.table.close()
    }

    @Test(
        "R-06: a snapshot and logs that are worth several threads restore every state",
        arguments: [(100_000, true), (1_000, true), (10_000_000, false)])
    func restart(statesMax: Int, hasSnapshot: Bool) async throws {
        // All six rounds write somewhat more.
        let house = try JournaledTable(folder, logBytes: hasSnapshot ? 2 << 20 : 1 << 30)
        for round in 0..<6 {
            for subject in 0..<Self.subjects where subject % 6 <= round {
                house.charge(subject, at: JournaledTable.now + .seconds(round))
            }
            try await house.table.persisted([])
        }
        if hasSnapshot { try await house.snapshot(1) }
        for subject in stride(from: 0, to: Self.subjects, by: 7) {
            house.charge(subject, at: JournaledTable.now + .seconds(9))
        }
        let contents = house.contents
        house.table.close()
        // Whether there are as many stripes as there were, fewer or more.
        let next = try JournaledTable(folder, statesMax: statesMax)
        #expect(next.contents == contents)
        #expect(next.charge(0, at: JournaledTable.now + .seconds(9)).isLimited)
        next.table.close()
    }
}
