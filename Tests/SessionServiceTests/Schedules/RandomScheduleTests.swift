import TestSupport
import Testing

extension ScheduleTests {
    /// Seeds count from 1, so that a failure names its seed. Bound and unbound sessions alternate.
    @Test("G-10, S-04: the rule agrees with the theorems in long random schedules")
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

    @Test("G-10, S-04: the real service and its store agree with the theorems in random schedules")
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
