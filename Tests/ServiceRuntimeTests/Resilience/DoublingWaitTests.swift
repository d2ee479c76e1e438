import ServiceRuntime
import Testing

@Suite("The doubling wait after failed tries")
struct DoublingWaitTests {
    private func wait(_ failures: Int, _ random: UInt64 = .max) -> Duration {
        DoublingWait.after(
            failures: failures, first: .seconds(2), most: .seconds(300), random: random)
    }

    @Test("it doubles up to a maximum, with a random part between half and all of it")
    func doubles() {
        for (failures, whole) in [(0, 2), (1, 2), (2, 4), (8, 256), (9, 300), (.max, 300)] {
            #expect(wait(failures, 0) == .seconds(whole) / 2)
            #expect(wait(failures) <= .seconds(whole))
            #expect(wait(failures) > .seconds(whole) * 0.99)
        }
    }
}
