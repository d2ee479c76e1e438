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
    func rotating() async throws {
        for round in 1...SoakRounds.count(ordinarily: 2) {
            let fixture = try await LimitsFixture(seed: UInt64(round))
            for (place, subject) in Self.subjects.enumerated() {
                for _ in 0..<(place.isMultiple(of: 2) ? 5 : 4) {
                    _ = try await fixture.decide([("failed-sign-in-by-device", subject)])
                }
            }
            await fixture.service.flush()
            var left = [(folder: try fixture.folder.copy(), charged: 0)]
            try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
            left.append((try fixture.folder.copy(), 0))
            for end in stride(from: 10, through: Self.subjects.count, by: 10) {
                try await Self.charge(Self.subjects[end - 10..<end], in: fixture)
                left.append((try fixture.folder.copy(), end))
            }
            for (folder, charged) in left {
                try await check(folder, charged: charged, fixture.time, round)
            }
        }
    }

    /// Charges subjects under the former secret, and new ones, while the journal is written
    /// concurrently.
    private static func charge(
        _ subjects: ArraySlice<String>, in fixture: LimitsFixture
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await fixture.service.flush() }
            for subject in subjects {
                group.addTask {
                    try await fixture.consume(.failedSignInByDevice, subject)
                    try await fixture.consume(.failedSignInByDevice, "\(subject)-new")
                }
            }
            try await group.waitForAll()
        }
    }

    private func check(
        _ folder: TemporaryFolder, charged: Int, _ time: ManualTime, _ round: Int
    ) async throws {
        let next = try await LimitsFixture(folder: folder, time: time, seed: 9)
        for (place, subject) in Self.subjects.enumerated() {
            let isLocked = place < charged || place.isMultiple(of: 2)
            let decision = try next.peek(.failedSignInByDevice, subject)
            let manner = "round \(round), \(charged) charged, \(subject)"
            try #require(decision.limited == isLocked, "\(manner)")
            let new = try next.peek(.failedSignInByDevice, "\(subject)-new")
            try #require(new.remaining == (place < charged ? 3 : 4), "\(manner)")
        }
        next.service.closeJournals()
        next.store.close()
    }
}
