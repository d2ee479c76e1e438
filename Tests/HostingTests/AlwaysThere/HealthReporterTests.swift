import Messages
import RPC
import ServiceRuntime
import Testing

@testable import Hosting

@Suite("Health: what it says")
struct HealthReporterTests {
    private let readiness = Readiness(parts: ["server", "store"])
    private let context = CallContext(deadline: .zero)

    private func answer() throws -> HealthV1.CheckResponse {
        try HealthReporter(readiness: readiness).check(HealthV1.CheckRequest(), context)
    }

    @Test("X-07: while parts are missing it does not serve, and names them")
    func waiting() throws {
        #expect(try answer().status == .notServing)
        #expect(try answer().parts.map(\.name) == ["server", "store"])
        #expect(try answer().parts.allSatisfy { $0.status == .notServing })
        readiness.set("server", isReady: true)
        #expect(try answer().parts.map(\.name) == ["store"])
        #expect(try answer().status == .notServing)
    }

    @Test("X-07: with all its parts it serves, and no longer once one has gone or it drains")
    func serving() throws {
        readiness.set("server", isReady: true)
        readiness.set("store", isReady: true)
        #expect(try answer() == HealthV1.CheckResponse(status: .serving))
        readiness.set("store", isReady: false)
        #expect(try answer().status == .notServing)
        readiness.set("store", isReady: true)
        readiness.drain()
        #expect(try answer() == HealthV1.CheckResponse(status: .notServing))
    }
}
