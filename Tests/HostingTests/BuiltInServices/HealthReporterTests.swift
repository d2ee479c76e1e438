import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import Hosting

@Suite("Health checks and watches of a program")
struct HealthReporterTests {
    private let readiness = Readiness(parts: ["server", "store"])
    private let context = CallContext(deadline: .zero)
    private let time = ManualTime()

    private let parts = ProgramParts()
    private var reporter: HealthReporter {
        HealthReporter(readiness: readiness, parts: parts, time: time)
    }

    private func answer() throws -> HealthV1.CheckResponse {
        try reporter.check(HealthV1.CheckRequest(), context)
    }

    @Test("X-07: while parts are missing the status is NOT_SERVING and the parts are named")
    func waiting() throws {
        #expect(try answer().status == .notServing)
        #expect(try answer().parts.map(\.name) == ["server", "store"])
        #expect(try answer().parts.allSatisfy { $0.status == .notServing })
        readiness.setReady("server")
        #expect(try answer().parts.map(\.name) == ["store"])
        #expect(try answer().status == .notServing)
    }

    @Test("X-07: with all parts it is serving, and no longer once it drains")
    func serving() throws {
        readiness.setReady("server")
        readiness.setReady("store")
        #expect(try answer() == HealthV1.CheckResponse(status: .serving))
        readiness.drain()
        #expect(try answer() == HealthV1.CheckResponse(status: .notServing))
    }

    @Test("B3: a watch receives a part's failure while the status stays SERVING")
    func degraded() async throws {
        readiness.setReady("server")
        readiness.setReady("store")
        let condition = PartCondition(time: time)
        parts.add("store") { condition.failure }
        parts.look()
        let items = reporter.watch(HealthV1.CheckRequest(), context).makeAsyncIterator()
        #expect(try await items.next()?.parts.isEmpty == true)
        condition.fail("store", "disk full")
        #expect(try answer().parts.map(\.status) == [.degraded])
        parts.look()
        let item = try await items.next()
        #expect(item?.status == .serving && item?.parts.first?.detail == "disk full")
    }

    @Test("X-07: a watch receives the state at once, each change, and a repeat every 500 ms")
    func watch() async throws {
        let items = reporter.watch(HealthV1.CheckRequest(), context).makeAsyncIterator()
        #expect(try await items.next()?.parts.map(\.name) == ["server", "store"])
        readiness.setReady("server")
        #expect(try await items.next()?.parts.map(\.name) == ["store"])
        readiness.setReady("store")
        #expect(try await items.next() == HealthV1.CheckResponse(status: .serving))
        for _ in 0..<3 {
            await time.sleepers(1)
            time.advance(by: .milliseconds(500))
            #expect(try await items.next() == HealthV1.CheckResponse(status: .serving))
        }
        readiness.drain()
        #expect(try await items.next()?.status == .notServing)
    }
}
