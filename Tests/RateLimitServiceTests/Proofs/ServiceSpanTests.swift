import Contracts
import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

/// The checks of `SpanProofTests` on the real service, with concurrent callers, with and without a
/// known device, and with a rotation of the subject secret in the middle. Internal rules that
/// callers do not charge are in `KnownDevicesTests`, `SharedSitesTests` and
/// `CredentialStuffingDetectorTests`. Rules
/// that are charged together with others are in `FailuresInARowTests`, `FirstGuessTests` and
/// `NewSubjectsTests`.
@Suite("R-01 … R-03: in the service no span holds more than the limit", .serialized)
struct ServiceSpanTests {
    private static let callers = 4
    /// Each limit with the limit that a caller names for it and the device that selects it.
    private static let lanes: [(LimitName, requested: LimitName, device: String)] =
        LimitName.allCases.compactMap { limit in
            if !limit.isInternal { return (limit, limit, "") }
            let requested = LimitName.allCases.first { TrustedLane.lane(of: $0) == limit }
            return requested.map { (limit, $0, "owner") }
        }

    @Test(
        "R-03: every charged limit holds for all start phases, pauses and parallel callers",
        .timeLimit(.minutes(5)), arguments: lanes)
    func spans(limit: LimitName, requested: LimitName, device: String) async throws {
        for round in 1...SoakRounds.count(ordinarily: 1) {
            for (place, manner) in Trying.allCases.enumerated() {
                let seed = UInt64(round * 10 + place)
                let attack = Attack(
                    limit: limit, manner: manner, device: device,
                    charge: RateLimitV1.Charge(
                        limit: requested.rawValue, subject: "+4915112345678", device: device))
                let allowed = try await attack.run(callers: Self.callers, seed: seed)
                for span in LimitSpan.all(of: limit.rule) {
                    let found = span.fullest(allowed)
                    #expect(
                        found <= span.most,
                        "\(limit) \(manner) seed \(seed): \(found) in \(span.length) ms")
                }
                #expect(allowed.count >= LimitSpan.all(of: limit.rule)[0].most / 2)
            }
        }
    }

    @Test("R-03: only internal limits and limits charged with others are not in this list")
    func complete() {
        let charged = Set(Self.lanes.map(\.0))
        #expect(
            Set(LimitName.allCases).subtracting(charged) == [
                .signInFailuresOverall, .signInFailuresBySite, .signInWithoutHistory,
                .signInWithoutHistoryBySite, .knownDevice, .newDeviceByAccount, .devicesForgotten,
                .failedSignInInARow, .phoneCodeFirstGuess, .newSubjectsBySite,
                .newSubjectsByApplication, .signUpBySharedSite, .accountsBySite, .accountAtSite,
                .newSiteByAccount,
            ])
    }
}

/// An attacker of one limit, with several callers at each time.
private struct Attack {
    let limit: LimitName
    let manner: Trying
    let device: String
    let charge: RateLimitV1.Charge

    /// - Returns: The times of the attempts that were allowed.
    func run(callers: Int, seed: UInt64) async throws -> [Int64] {
        let fixture = try await LimitsFixture(seed: seed)
        let randomness = SeededRandomness(seed: seed)
        if !device.isEmpty {
            fixture.service.limits.markDevice(try requested[0], at: fixture.time.now())
        }
        let window = LimitSpan.all(of: limit.rule)[0].length
        let tries = max(150, LimitSpan.all(of: limit.rule)[0].most / callers + 50)
        fixture.time.advance(by: .milliseconds(Int64(randomness.next() % UInt64(window))))
        var allowed: [Int64] = []
        for number in 0..<tries {
            if number == tries / 2 {
                try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
            }
            let now = fixture.time.now()
            let (count, retryAt) = try await together(callers, fixture)
            allowed += [Int64](repeating: now.milliseconds, count: count)
            var pause = Duration.milliseconds(manner.pause(number, window, randomness))
            // The worst case: the attacker returns at the very millisecond, and one before.
            if manner == .hammer, let retryAt {
                pause = max(.milliseconds(1), retryAt - now - .milliseconds(number % 2))
            }
            fixture.time.advance(by: pause)
        }
        return allowed
    }

    private var requested: [RequestedCharge] { get throws { try RequestedCharge.read([charge]) } }

    /// Several attempts at one time.
    private func together(
        _ callers: Int, _ fixture: LimitsFixture
    ) async throws -> (allowed: Int, retryAt: Timestamp?) {
        let requested = try requested
        let now = fixture.time.now()
        return try await withThrowingTaskGroup(of: LimitVerdict.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    let decided = try fixture.service.limits.planAndDecide(requested, at: now) {
                        fixture.service.limits.apply(.consume, $0, at: now)
                    }
                    return decided.verdict ?? LimitVerdict()
                }
            }
            var allowed = 0
            var retryAt: Timestamp?
            for try await verdict in group {
                if verdict.isLimited { retryAt = verdict.retryAt } else { allowed += 1 }
            }
            return (allowed, retryAt)
        }
    }
}
