import ServiceRuntime
import Testing

@Suite("A single flight", .timeLimit(.minutes(1)))
struct SingleFlightTests {
    @Test("callers share the run in progress; after its end the next caller starts another")
    func shared() async {
        let signal = WakeSignal()
        var flight = SingleFlight<Int, Never>()
        let first = flight.join {
            await signal.wait()
            return 1
        }
        #expect(flight.join { 2 } == first)
        #expect(flight.running == first)
        signal.wake()
        #expect(await first.value == 1)
        flight.end()
        #expect(flight.running == nil)
        #expect(await flight.join { 3 }.value == 3)
    }

    @Test("a failure reaches all who share the run")
    func failed() async {
        struct Failure: Error {}
        var flight = SingleFlight<Void, any Error>()
        let first = flight.join { throw Failure() }
        let second = flight.join {}
        await #expect(throws: Failure.self) { try await first.value }
        await #expect(throws: Failure.self) { try await second.value }
    }
}
