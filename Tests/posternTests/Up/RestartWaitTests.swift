import Testing

@testable import postern

@Suite("B20: How long a service waits before it is restarted")
struct RestartWaitTests {
    private func waits(
        _ ends: Int, life: Double = 1, wasReady: Bool = false, wasKilled: Bool = false
    ) -> [Double] {
        var restart = RestartWait()
        return (0..<ends).map { _ in
            restart.recordEnd(life: life, wasReady: wasReady, wasKilled: wasKilled)
            return restart.wait
        }
    }

    @Test("B20: a service that was ready or was killed never waits more than half a second")
    func ready() {
        #expect(waits(6, wasReady: true) == [0.1, 0.2, 0.4, 0.5, 0.5, 0.5])
        #expect(waits(6, wasKilled: true) == [0.1, 0.2, 0.4, 0.5, 0.5, 0.5])
        #expect(waits(200, wasReady: true).last == 0.5)
    }

    @Test("B20: a service that ends before it is ready backs off to five seconds")
    func unready() {
        #expect(waits(8) == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5])
        #expect(waits(200).last == 5)
    }

    @Test("B20: after five seconds of running it restarts at once, and the backoff starts over")
    func long() {
        #expect(waits(3, life: 5) == [0, 0, 0])
        var restart = RestartWait()
        for _ in 0..<5 { restart.recordEnd(life: 1, wasReady: false, wasKilled: false) }
        restart.recordEnd(life: 60, wasReady: false, wasKilled: false)
        restart.recordEnd(life: 1, wasReady: false, wasKilled: false)
        #expect(restart.wait == 0.1)
        restart.recordFailedStart()
        #expect(restart.wait == 5)
    }
}
