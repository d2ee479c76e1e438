import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Duties: periodic work that is done once for a store", .timeLimit(.minutes(1)))
struct DutyTests {
    struct Refused: Error {}

    /// Counts the steps of a duty.
    final class Steps: Sendable {
        private let taken = Atomic<Int>(0)
        var count: Int { taken.load(ordering: .relaxed) }

        func next() -> Int { taken.add(1, ordering: .relaxed).newValue }
    }

    let folder: TemporaryFolder
    let time = ManualTime()
    let log = CapturedLog()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, time: time, log: log)
    }

    /// Performs duties for as long as `body` runs, and the purge beside them.
    private func performing(_ others: [Duty], _ body: () async throws -> Void) async rethrows {
        let duties = Duties(of: store, purging: [], others, time: time)
        let work = Task { await duties.run() }
        defer { work.cancel() }
        try await body()
        work.cancel()
        await work.value
    }

    @Test("a duty begins at once, goes on while there is more to do, then waits for its interval")
    func interval() async {
        let steps = Steps()
        let duty = Duty("test", every: .seconds(60)) { steps.next() % 3 != 0 }
        await performing([duty]) {
            await time.sleepers(2)
            #expect(steps.count == 3)
            time.advance(by: .seconds(59))
            await time.sleepers(2)
            #expect(steps.count == 3)
            time.advance(by: .seconds(1))
            await time.sleepers(2)
            #expect(steps.count == 6)
        }
    }

    @Test("a duty that works again says so")
    func recovered() async {
        let steps = Steps()
        let duty = Duty("test", every: .seconds(1)) {
            if steps.next() < 3 { throw Refused() }
            return false
        }
        await performing([duty]) {
            for _ in 0..<3 {
                await time.sleepers(2)
                time.advance(by: .seconds(1))
            }
            await time.sleepers(2)
        }
        #expect(log.lines.count { $0.contains("duty.failed") } == 2)
        #expect(log.lines.count { $0.contains("duty.recovered") } == 1)
    }

    @Test("a failed duty is retried within a minute, stops no other, and does not flood the log")
    func failing() async {
        let (failed, other) = (Steps(), Steps())
        let duties = [
            Duty("failing", every: .seconds(3_600)) {
                _ = failed.next()
                throw Refused()
            },
            Duty("other", every: .seconds(60)) {
                _ = other.next()
                return false
            },
        ]
        await performing(duties) {
            for _ in 0..<4 {
                await time.sleepers(3)
                time.advance(by: .seconds(60))
            }
            await time.sleepers(3)
        }
        #expect(failed.count == 5 && other.count == 5)
        #expect(log.lines.count { $0.contains("duty.failed") } == 3)
    }

    @Test("a cancelled duty ends without a failure in the log")
    func cancelled() async {
        let duty = Duty("waiting", every: .seconds(60)) { [time] in
            try await time.sleep(for: .seconds(3_600))
            return false
        }
        await performing([duty]) { await time.sleepers(2) }
        #expect(log.lines.allSatisfy { !$0.contains("duty.failed") })
    }
}
