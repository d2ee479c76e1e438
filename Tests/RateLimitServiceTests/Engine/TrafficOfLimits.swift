import Contracts
import ServiceRuntime
import TestSupport

@testable import RateLimitService

/// Random operations on some subjects of limits of each kind, from a seed.
struct TrafficOfLimits {
    static let rules: [LimitRule] = [
        .slidingWindow(count: 5, window: .seconds(900)),
        .slidingWindow(count: 17, window: .seconds(600)),
        .slidingWindow(count: 64, window: .seconds(3_600)), .gcra(count: 100, window: .seconds(60)),
        .escalatingDelay(
            delays: [0, 60, 300, 900, 1_800].map { .seconds($0) }, quiet: .seconds(24 * 3_600),
            perDay: 10),
        .lockout(attempts: 5, lockedFor: .seconds(900), failuresMax: 100),
    ]
    static let counting = rules.map(CountingRule.init)

    let randomness: SeededRandomness
    let subjects: UInt64
    private(set) var now = Timestamp(milliseconds: 1_700_000_000_000)
    private var lastCharge = Timestamp(milliseconds: 1_700_000_000_000)

    init(seed: UInt64, subjects: UInt64) {
        randomness = SeededRandomness(seed: seed)
        self.subjects = subjects
    }

    /// The rule of a limit by its number.
    static func rule(_ number: UInt16) -> CountingRule? {
        counting.indices.contains(Int(number)) ? counting[Int(number)] : nil
    }

    /// The next operation and its requests. Advances the time.
    mutating func next() -> (BatchOperation, [LimitRequest]) {
        now = now + .milliseconds(Int64(randomness.next() % 2_000))
        switch randomness.next() % 64 {
        case 0: now = now + .seconds(1_000)
        // A step back. It may free nothing, and both tables must handle it alike.
        case 1: now = now - .seconds(500)
        default: break
        }
        let operation = operation()
        if case .consume = operation { lastCharge = now }
        return (operation, batch())
    }

    private func operation() -> BatchOperation {
        switch randomness.next() % 16 {
        case 0: .peek
        case 1: .success
        case 2, 3: .refund(at: lastCharge)
        case 4: randomness.next() % 4 == 0 ? .reset : .peek
        default: .consume
        }
    }

    private func batch() -> [LimitRequest] {
        var batch: [LimitRequest] = []
        for _ in 0...randomness.next() % 3 {
            let request = request()
            if !batch.contains(where: { $0.key == request.key }) { batch.append(request) }
        }
        return batch
    }

    private func request() -> LimitRequest {
        let limit = Int(randomness.next() % UInt64(Self.rules.count))
        // Spread over the table as hashes are.
        let hash = SeededRandomness(seed: randomness.next() % subjects)
        let key = LimitKey(limit: UInt16(limit), high: hash.next(), low: hash.next())
        var request = LimitRequest(key: key, rule: Self.counting[limit], isShadow: false)
        // Some of more than one unit, also of more than a rule allows at once.
        if randomness.next() % 4 == 0 { request.amount = Int(randomness.next() % 70) + 1 }
        return request
    }
}
