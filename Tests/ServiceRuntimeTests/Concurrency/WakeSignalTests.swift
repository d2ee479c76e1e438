import ServiceRuntime
import TestSupport
import Testing

@Suite("WakeSignal wakes one waiting task", .timeLimit(.minutes(1)))
struct WakeSignalTests {
    private let signal = WakeSignal()

    @Test("a signal without a waiter ends the next wait; several count as one")
    func early() async {
        signal.wake()
        signal.wake()
        await signal.wait()
        let second = Task { await signal.wait() }
        await Task.yield()
        signal.wake()
        await second.value
    }

    @Test("a wait ends when its task is cancelled, before it or in it")
    func cancelled() async {
        let waiting = Task { await signal.wait() }
        waiting.cancel()
        await waiting.value
        signal.wake()
        await signal.wait()
    }

    @Test("a wait with a limit ends at the signal, or when the time is over")
    func limited() async {
        let time = ManualTime()
        signal.wake()
        await signal.wait(atMost: .seconds(5), time: time)
        #expect(time.sleepsSoFar == 0)
        let waiting = Task { await signal.wait(atMost: .seconds(5), time: time) }
        await time.sleepers(1)
        time.advance(by: .seconds(5))
        await waiting.value
        // The wait that timed out has left: the next one gets the signal.
        signal.wake()
        await signal.wait()
    }
}
