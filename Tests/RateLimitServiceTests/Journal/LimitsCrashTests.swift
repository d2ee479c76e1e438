import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: a crashed limiter keeps its counts", .serialized, .timeLimit(.minutes(10)))
struct LimitsCrashTests {
    private static let rule = LimitRule.slidingWindow(count: 5, window: .seconds(24 * 3_600))

    @Test("R-06: a kill at any time under load loses no acknowledged charge")
    func killedUnderLoad() throws {
        let folder = try TemporaryFolder()
        var answered: Set<UInt64> = []
        var start: UInt64 = 1
        for round in 1...SoakRounds.count(ordinarily: 4) {
            let writer = try CrashWriter("LimitsCrashWriter", [folder.path, "\(start)"])
            answered.formUnion(writer.acknowledged(1 + round * 37 % 911, as: UInt64.self))
            writer.kill()
            // What it acknowledged before the kill is still in the pipe.
            answered.formUnion(writer.acknowledged(as: UInt64.self))
            start = (answered.max() ?? 0) + 100
            let now = SystemTime().now()
            let table = try LimitTable(
                statesMax: 1_000_000, rule: Self.rule, folder: folder.path, at: now,
                logger: CapturedLog().logger(time: ManualTime()))
            defer { table.close() }
            for subject in answered {
                let key = LimitKey(limit: 1, high: subject &* 0x9E37_79B9_7F4A_7C15, low: 0)
                let request = LimitRequest(key: key, rule: Self.rule, isShadow: false)
                let verdict = table.apply(.peek, [request], at: now)
                try #require(verdict.remaining == 3, "round \(round), subject \(subject)")
            }
        }
        #expect(answered.count >= 4 * 37)
    }
}
