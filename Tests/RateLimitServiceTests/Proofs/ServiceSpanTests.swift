import Contracts
import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

/// The checker of `SpanProofTests` before the real service, with callers who try at once and from
/// all lanes, and another secret for subjects in the middle. (The rules of marks and of the alarm
/// are not charged by anybody: `KnownDevicesTests`, `CredentialStuffingDetectorTests`. What is charged beside
/// others: `FailuresInARowTests`, `FirstGuessTests`, `NewSubjectsTests`.)
@Suite("R-01 … R-03: no span holds more than the limit, before the service", .serialized)
struct ServiceSpanTests {
    private static let callers = 4
    /// Each limit with the device whose lane it is, and what is asked for to be charged to it.
    private static let lanes: [(LimitName, asked: LimitName, device: String)] =
        LimitName.allCases.compactMap { limit in
            if !limit.isInternal { return (limit, limit, "") }
            let asked = LimitName.allCases.first { TrustedLane.lane(of: $0) == limit }
            return asked.map { (limit, $0, "owner") }
        }

    @Test(
        "R-03: over start phases, pauses and parallel callers, of every limit that is charged",
        .timeLimit(.minutes(5)), arguments: lanes)
    func spans(limit: LimitName, asked: LimitName, device: String) async throws {
        for round in 1...SoakRounds.count(ordinarily: 1) {
            for (place, manner) in Trying.allCases.enumerated() {
                let seed = UInt64(round * 10 + place)
                let attack = Attack(
                    limit: limit, manner: manner, device: device,
                    charge: RateLimitV1.Charge(
                        limit: asked.rawValue, subject: "+4915112345678", device: device))
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

    @Test("R-03: only marks, the alarm, and what is charged beside others stand alone")
    func complete() {
        let charged = Set(Self.lanes.map(\.0))
        #expect(
            Set(LimitName.allCases).subtracting(charged) == [
                .signInFailuresOverall, .signInFailuresBySite, .signInWithoutHistory,
                .signInWithoutHistoryBySite, .knownDevice, .newDeviceByAccount, .devicesForgotten,
                .failedSignInInARow, .phoneCodeFirstGuess, .newSubjectsBySite,
                .newSubjectsByApplication,
            ])
    }
}

/// Somebody who tries one limit, with several callers at each moment.
private struct Attack {
    let limit: LimitName
    let manner: Trying
    let device: String
    let charge: RateLimitV1.Charge

    /// - Returns: the moments at which a try was let through.
    func run(callers: Int, seed: UInt64) async throws -> [Int64] {
        let house = try await LimitsHouse(seed: seed)
        let randomness = SeededRandomness(seed: seed)
        if !device.isEmpty { house.service.markDevice(try asked[0], at: house.time.now()) }
        let window = LimitSpan.all(of: limit.rule)[0].length
        let tries = max(150, LimitSpan.all(of: limit.rule)[0].most / callers + 50)
        house.time.advance(by: .milliseconds(Int64(randomness.next() % UInt64(window))))
        var allowed: [Int64] = []
        for number in 0..<tries {
            if number == tries / 2 {
                try await house.service.subjectKeys.rotate(at: house.time.now())
            }
            let now = house.time.now()
            let (count, retryAt) = try await together(callers, house)
            allowed += [Int64](repeating: now.milliseconds, count: count)
            var pause = Duration.milliseconds(manner.pause(number, window, randomness))
            // The sharpest attack comes back to the millisecond, and one before.
            if manner == .hammer, let retryAt {
                pause = max(.milliseconds(1), retryAt - now - .milliseconds(number % 2))
            }
            house.time.advance(by: pause)
        }
        return allowed
    }

    private var asked: [AskedCharge] { get throws { try AskedCharge.read([charge]) } }

    /// Tries at one moment.
    private func together(
        _ callers: Int, _ house: LimitsHouse
    ) async throws -> (allowed: Int, retryAt: Timestamp?) {
        let asked = try asked
        let now = house.time.now()
        return try await withThrowingTaskGroup(of: LimitVerdict.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    let decided = try house.service.decide(asked, at: now) {
                        house.service.decide(.consume, $0, at: now)
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
