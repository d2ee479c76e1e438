import ServiceRuntime
import TestSupport
import Testing

@Suite("ManualTime: time moves only when the test moves it")
struct ManualTimeTests {
    @Test("both clocks stand still and then move together")
    func moving() {
        let time = ManualTime(now: Timestamp(milliseconds: 1_000))
        let uptime = time.uptime()
        #expect(time.now().milliseconds == 1_000)
        time.advance(by: .milliseconds(250))
        #expect(time.now().milliseconds == 1_250)
        #expect(time.uptime() - uptime == .milliseconds(250))
    }

    @Test("a sleeper wakes exactly at its time")
    func waking() async throws {
        let time = ManualTime()
        let wakings = CapturedLog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await time.sleep(for: .seconds(10))
                wakings.write([UInt8(ascii: "\n")])
            }
            await time.sleepers()
            time.advance(by: .milliseconds(9_999))
            #expect(wakings.lines.isEmpty)
            time.advance(by: .milliseconds(1))
            try await group.waitForAll()
        }
        #expect(wakings.lines.count == 1)
    }

    @Test("a cancelled sleeper wakes at once with an error")
    func cancelling() async {
        let time = ManualTime()
        let sleeper = Task { try await time.sleep(for: .seconds(10)) }
        await time.sleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("a cancelled task does not sleep")
    func cancelledBefore() async {
        let time = ManualTime()
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("sleeping for zero or less returns at once")
    func nothing() async throws {
        try await ManualTime().sleep(for: .zero)
        try await ManualTime().sleep(for: .seconds(-1))
    }

    @Test("a thousand sleepers wake with one advance")
    func many() async throws {
        let time = ManualTime()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 1...1_000 {
                group.addTask { try await time.sleep(for: .milliseconds(index)) }
            }
            await time.sleepers(1_000)
            time.advance(by: .seconds(1))
            try await group.waitForAll()
        }
    }
}
