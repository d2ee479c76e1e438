import ServiceRuntime
import Testing

@Suite("Backoff before a retry")
struct BackoffTests {
    @Test("Protos/README.md, Client: backoff is 100 ms × 1.6 up to 10 s, reset by a success")
    func waits() {
        var backoff = Backoff()
        let middle: UInt64 = 200  // no jitter
        let first = (0..<4).map { _ in backoff.next(jitter: middle) }
        #expect(first == [100, 160, 256, 409.6].map { .microseconds(Int64($0 * 1_000)) })
        for _ in 0..<20 { _ = backoff.next(jitter: middle) }
        #expect(backoff.next(jitter: middle) == .seconds(10))
        backoff.reset()
        #expect(backoff.next(jitter: middle) == .milliseconds(100))
    }

    @Test(
        "Protos/README.md, Client: the jitter is 20 % either way",
        arguments: [(UInt64(0), 80), (400, 120), (401, 80), (200, 100), (UInt64.max, 94)])
    func jitter(draw: UInt64, milliseconds: Int) {
        var backoff = Backoff()
        let wait = backoff.next(jitter: draw)
        #expect(
            abs(wait.components.attoseconds / 1_000_000_000_000_000 - Int64(milliseconds)) <= 20)
        #expect((.milliseconds(80)...(.milliseconds(120))).contains(wait))
    }

    @Test("first wait, growth and maximum can be changed, and the jitter switched off")
    func others() {
        var backoff = Backoff(
            first: .seconds(1), most: .seconds(30), growthTenths: 20, jitterThousandths: 0)
        let waits = (0..<7).map { backoff.next(jitter: UInt64($0)) }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    }

    @Test("a stored count doubles the wait; chance picks between half and all of it")
    func stored() {
        func wait(_ failures: Int, _ random: UInt64 = .max) -> Duration {
            Backoff.wait(
                failures: failures, first: .seconds(2), most: .seconds(300), random: random)
        }
        for (failures, whole) in [(0, 2), (1, 2), (2, 4), (8, 256), (9, 300), (.max, 300)] {
            #expect(wait(failures, 0) == .seconds(whole) / 2)
            #expect(wait(failures) <= .seconds(whole))
            #expect(wait(failures) > .seconds(whole) * 0.99)
        }
    }
}
