import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Fairness between recipients")
struct RecipientTurnsTests {
    private static let now = Timestamp(milliseconds: 1_000_000)
    private let ada: [UInt8] = [1]
    private let bob: [UInt8] = [2]

    @Test("so many at once, then one at each interval, to the millisecond")
    func rate() {
        let turns = RecipientTurns(burst: 3, interval: .seconds(10))
        let given = (0..<5).map { _ in turns.turn(of: ada, .security, at: Self.now) - Self.now }
        #expect(given == [.zero, .zero, .zero, .seconds(10), .seconds(20)])
        let later = Self.now + .seconds(30)
        #expect(turns.turn(of: ada, .security, at: later) == later)
        #expect(turns.turn(of: ada, .security, at: later) == later + .seconds(10))
    }

    @Test("another recipient, and another lane of the same one, is not touched")
    func others() {
        let turns = RecipientTurns(burst: 1, interval: .seconds(10))
        for _ in 0..<1_000 { _ = turns.turn(of: ada, .bulk, at: Self.now) }
        #expect(turns.turn(of: ada, .security, at: Self.now) == Self.now)
        #expect(turns.turn(of: bob, .bulk, at: Self.now) == Self.now)
        #expect(turns.turn(of: ada, .bulk, at: Self.now) == Self.now + .seconds(10_000))
    }

    @Test("memory is bounded: those who are within their rate are forgotten first")
    func bounded() {
        let turns = RecipientTurns(burst: 1, interval: .seconds(10))
        for number in 0..<RecipientTurns.recipientsMax {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            _ = turns.turn(of: bytes, .notice, at: Self.now)
        }
        // Full of people who wait: a newcomer is let through.
        #expect(turns.turn(of: ada, .notice, at: Self.now) == Self.now)
        #expect(turns.turn(of: ada, .notice, at: Self.now) == Self.now)
        let later = Self.now + .seconds(10)
        #expect(turns.turn(of: ada, .notice, at: later) == later)
        #expect(turns.turn(of: ada, .notice, at: later) == later + .seconds(10))
    }

    @Test("N-03: a thousand messages to one person stand behind the others' and are not lost")
    func flood() async throws {
        let route = RecordingRoute()
        let bench = try ServiceBench(in: TemporaryFolder(), routes: [.email: route])
        for number in 0..<100 { try await bench.send(key: "flood \(number)") }
        for number in 0..<10 {
            let request = ServiceBench.request(to: "other\(number)@example.org")
            try await bench.send(request, key: "other \(number)")
        }
        try await bench.delivering {
            // The burst, and all others.
            try await bench.until(sent: 30)
            #expect(route.recipients.count { $0.hasPrefix("other") } == 10)
            await bench.time.sleepers()
            bench.time.advance(by: .seconds(10))
            try await bench.until(sent: 31)
        }
        #expect(
            try await bench.ask("SELECT count(*) FROM message WHERE state = 0") == [.integer(79)])
    }
}
