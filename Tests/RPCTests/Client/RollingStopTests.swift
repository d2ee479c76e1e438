import RPC
import Synchronization
import Testing

@Suite("A rolling restart of two instances", .timeLimit(.minutes(1)))
struct RollingStopTests {
    /// Length of each pause and each run between two stops.
    private static let phase = Duration.milliseconds(500)

    @Test(
        "Protos/README.md, Connection 4: two instances restart at 500 calls/s and no call fails"
    )
    func rolling() async throws {
        try await Instances.run(2) { fixture in
            for instance in fixture.instances { instance.feels(.slow(.milliseconds(5))) }
            try await fixture.warmUp()
            let before = fixture.instances.map(\.calls)
            let isDone = Mutex(false)
            async let made = Self.load(fixture) { isDone.withLock { $0 } }
            for (index, instance) in fixture.instances.enumerated() {
                try await Task.sleep(for: Self.phase)
                await fixture.servers[index].drain()
                try await Task.sleep(for: Self.phase)
                _ = try await Instances.serve(
                    instance, port: fixture.servers[index].port, group: fixture.group)
            }
            try await Task.sleep(for: Self.phase)
            isDone.withLock { $0 = true }
            let (calls, failures) = await made
            #expect(failures == [])
            #expect(calls > 500)  // a busy machine may not keep the pace
            // No call was lost and none was executed twice.
            #expect(fixture.instances.map(\.calls).reduce(0, +) - before.reduce(0, +) == calls)
            try await fixture.warmUp()  // both are back
        }
    }

    /// Makes a call every 2 ms, whatever the outcome of others, until `isDone` returns true.
    private static func load(
        _ fixture: Instances, _ isDone: @Sendable () -> Bool
    ) async -> (calls: Int, failures: [String]) {
        await withTaskGroup(of: String?.self) { calls in
            let clock = ContinuousClock()
            let start = clock.now
            var made = 0
            while !isDone() {
                calls.addTask { (await fixture.failure()).map { "\($0)" } }
                made += 1
                // This task cannot be cancelled.
                try? await clock.sleep(until: start + .milliseconds(2 * made))
            }
            let failures = await calls.reduce(into: []) { $0 += [$1].compactMap { $0 } }
            return (made, failures)
        }
    }
}
