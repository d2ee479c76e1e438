import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-05: a crash during a rotation loses nothing", .serialized, .timeLimit(.minutes(10)))
struct RotationCrashTests {
    private static let subjects = (0..<200).map { "192.0.2.\($0)|device" }

    @Test("R-05: after a kill at any time of a rotation, the same subjects are locked")
    func moving() async throws {
        for round in 1...SoakRounds.count(ordinarily: 2) {
            let fixture = try await LimitsFixture(seed: UInt64(round))
            for (place, subject) in Self.subjects.enumerated() {
                for _ in 0..<(place.isMultiple(of: 2) ? 5 : 4) {
                    _ = try await fixture.decide([("failed-sign-in-by-device", subject)])
                }
            }
            await fixture.service.flush()
            try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
            var left: [TemporaryFolder] = []
            for start in stride(from: 0, to: Self.subjects.count, by: 10) {
                try await Self.name(Self.subjects[start..<start + 10], in: fixture)
                left.append(try fixture.folder.copy())
            }
            for folder in left { try await check(folder, fixture.time, round) }
        }
    }

    /// Re-keys subjects while the journal is written concurrently.
    private static func name(_ subjects: ArraySlice<String>, in fixture: LimitsFixture) async throws
    {
        try await withThrowingTaskGroup { group in
            group.addTask { await fixture.service.flush() }
            group.addTask {
                for subject in subjects {
                    _ = try fixture.peek(.failedSignInByDevice, subject)
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
    }

    private func check(_ folder: TemporaryFolder, _ time: ManualTime, _ round: Int) async throws {
        let next = try await LimitsFixture(folder: folder, time: time, seed: 9)
        for (place, subject) in Self.subjects.enumerated() {
            let decision = try next.peek(.failedSignInByDevice, subject)
            try #require(
                decision.limited == place.isMultiple(of: 2), "round \(round), \(subject)")
        }
        next.service.closeJournals()
        next.store.close()
    }
}
