import Testing

@testable import Storage

@Suite("Backoff of the outbox")
struct OutboxRetryTests {
    @Test(
        "the wait doubles with each failure, up to a minute",
        arguments: [
            (Int64(1), 100), (2, 200), (3, 400), (9, 25_600), (10, 51_200), (11, 60_000),
            (1_000, 60_000), (.max, 60_000), (0, 100),
        ])
    func doubling(_ failures: Int64, _ milliseconds: Int) {
        let least = OutboxRelay.backoff(failures: failures, random: 0)
        let most = OutboxRelay.backoff(failures: failures, random: .max)
        #expect(least == .milliseconds(milliseconds) / 2)
        #expect(most <= .milliseconds(milliseconds))
        #expect(most > .milliseconds(milliseconds) * 0.99)
    }
}
