import TestSupport
import Testing

extension ScheduleTests {
    /// Seeds from 1 on, so that a failure's is its name; both kinds of session take turns.
    @Test("G-10, S-04: long random schedules on the rule")
    func long() {
        let schedules = SoakRounds.isLong ? 100_000 : 4_000
        for seed in 1...UInt64(schedules) {
            let schedule = RandomSchedule(seed: seed)
            var world = schedule.first
            var taken: [Step] = []
            for _ in 0..<60 where !world.isOver {
                let step = schedule.step(in: world)
                taken.append(step)
                if let wrong = world.take(step) {
                    Issue.record("seed \(seed), after \(taken): \(wrong)")
                    return
                }
            }
        }
        print("schedules: seeds 1 to \(schedules) on the rule")
    }

    @Test("G-10, S-04: random schedules on the real service and its store")
    func service() async throws {
        let schedules = SoakRounds.isLong ? 5_000 : 150
        let server = try await ScheduledService()
        for seed in 1...UInt64(schedules) {
            let wrong = try await server.run(RandomSchedule(seed: seed), steps: 24)
            #expect(wrong == nil, "seed \(seed)")
            if wrong != nil { return }
        }
        print("schedules: seeds 1 to \(schedules) on the service")
        server.close()
    }
}
