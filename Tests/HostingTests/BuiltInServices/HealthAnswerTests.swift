import Messages
import ServiceRuntime
import Testing

@testable import Hosting

@Suite("B3, X-07: a program's health by its state and its parts")
struct HealthAnswerTests {
    private static let since = Timestamp(milliseconds: 1_700_000_000_000)
    /// Every part that a program may have, and what may be wrong with it.
    private static let failures = [
        "store": "disk full", "clock": "waits for `postern clock accept`",
        "keys": "the changed own-key cannot be used", "session": "cannot be reached",
    ]

    private func answer(_ state: Readiness.State, failing: Set<String> = []) -> HealthAnswer {
        HealthAnswer(
            state: state,
            parts: Self.failures.keys.sorted().map { name in
                ProgramParts.Part(
                    name: name,
                    failure: failing.contains(name)
                        ? PartCondition.Failure(
                            since: Self.since, detail: Self.failures[name] ?? "") : nil)
            })
    }

    @Test("B3: a failing part does not stop a ready program from serving; it is listed as degraded")
    func ready() {
        #expect(answer(.ready).text == "serving\n")
        for part in Self.failures.keys {
            let answer = answer(.ready, failing: [part])
            #expect(answer.isReady && answer.response.status == .serving, "\(part)")
            #expect(answer.text == "serving, degraded: \(part)\n")
            let degraded = answer.response.parts.filter { $0.status == .degraded }
            #expect(degraded.map(\.name) == [part])
            #expect(degraded.first?.failingSince == .failingSinceAtMs(Self.since.milliseconds))
            #expect(degraded.first?.detail == Self.failures[part])
            let others = answer.response.parts.filter { $0.name != part }
            #expect(others.count == 3)
            #expect(others.allSatisfy { $0.status == .serving && $0.failingSince == nil })
        }
        let all = answer(.ready, failing: Set(Self.failures.keys))
        #expect(all.isReady && all.response.status == .serving)
        #expect(all.text == "serving, degraded: clock, keys, session, store\n")
    }

    @Test("X-07: a warning about settings follows the state of a ready program, and fails nothing")
    func warnings() {
        func answer(_ state: Readiness.State) -> HealthAnswer {
            HealthAnswer(state: state, parts: [], warnings: ["link-origin is none of web-origins"])
        }
        #expect(answer(.ready).text == "serving; warning: link-origin is none of web-origins\n")
        #expect(answer(.ready).isReady)
        #expect(answer(.draining).text == "not serving\n")
    }

    @Test("B3: a program that starts or stops is not serving, whether a part fails or not")
    func notReady() {
        for failing: Set<String> in [[], ["store"]] {
            for state in [Readiness.State.draining, .waiting(parts: ["server"])] {
                let answer = answer(state, failing: failing)
                #expect(!answer.isReady && answer.response.status == .notServing)
                #expect(answer.text == "not serving\n")
            }
            let waiting = answer(.waiting(parts: ["server"]), failing: failing).response.parts
            #expect(waiting.filter { $0.status == .notServing }.map(\.name) == ["server"])
        }
    }
}
