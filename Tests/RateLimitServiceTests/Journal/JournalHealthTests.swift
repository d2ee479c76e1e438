import Contracts
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("X-07: health reports the limiter's journals", .timeLimit(.minutes(1)))
struct JournalHealthTests {
    @Test("X-07: a failed journal is retried without a charge and becomes healthy again")
    func again() async throws {
        let files = FailingFiles()
        let writes = PartCondition(time: ManualTime())
        let fixture = try JournaledTable(try TemporaryFolder(), files: files, writes: writes)
        fixture.charge(1)
        files.isFull.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<3 {
            // The same as the service does each second (`RateLimitService.flush`).
            await #expect(throws: ServiceError.self) { try await fixture.table.persisted() }
            #expect(writes.failure != nil)
        }
        files.isFull.store(false, ordering: .sequentiallyConsistent)
        try await fixture.table.persisted()
        #expect(writes.failure == nil)
        #expect(try fixture.contentsAfterKill() == fixture.contents)
        fixture.table.close()
    }

    @Test("X-07: the known devices' journal is a health component with the name of its files")
    func named() async throws {
        let fixture = try await LimitsFixture()
        let parts = ProgramParts()
        fixture.service.report(to: parts)
        #expect(parts.states == [ProgramParts.Part(name: "ratelimit-devices", failure: nil)])
        let location = LimitJournalLocation(
            beside: fixture.store, suffix: "-devices", writes: PartCondition(time: fixture.time))
        location.writes?.fail(location.name, "disk full")
        #expect(
            location.name == "ratelimit-devices" && location.writes?.failure?.detail == "disk full")
    }

    @Test("X-07: if the limits' journal fails, known devices are still written")
    func apart() async throws {
        let fixture = try await LimitsFixture()
        fixture.service.limits.table.close()
        try fixture.remember(.failedSignInByAccount, "ada@example.org", device: "d1")
        await fixture.service.flush()
        let next = try await LimitsFixture(
            folder: fixture.folder.copy(), time: fixture.time, seed: 2)
        let owner = TrustedLane.owner(.failedSignInByAccount, "ada@example.org")
        #expect(next.service.limits.devices.knows(owner, "d1", at: fixture.time.now()))
    }
}
