import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Testing
import Tracing

@testable import Hosting

@Suite("Traces across two services", .timeLimit(.minutes(1)))
struct TraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    private func run(
        sampling: Double, _ body: @Sendable (TracedServers) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let servers = try await TracedServers(sampling: sampling, group: group)
            try await body(servers)
            try await servers.close()
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    @Test("a call is one trace: the front's server and client spans, and the back's below them")
    func joined() async throws {
        try await run(sampling: 1) { servers in
            try await servers.call()
            let front = servers.frontSpans.take(10)
            let server = try #require(front.first { $0.kind == .server })
            let client = try #require(front.first { $0.kind == .client })
            let back = try #require(servers.backSpans.take(10).first)
            #expect(front.count == 2)
            #expect(server.parent == nil)
            #expect(client.parent == server.place.spanID)
            #expect(back.parent == client.place.spanID)
            #expect(Set([server, client, back].map(\.place.traceID)).count == 1)
            #expect(Set([server, client, back].map(\.place.spanID)).count == 3)
            #expect(server.name == "test.v1.Front/Ask")
            #expect(back.name == "test.v1.Back/Answer")
            #expect(back.kind == .server)
            let ended = try #require(server.endedNanoseconds)
            #expect(server.beganNanoseconds <= client.beganNanoseconds)
            #expect(ended >= (client.endedNanoseconds ?? .max))
        }
    }

    @Test("a caller's trace is continued with the caller's span as parent")
    func continued() async throws {
        try await run(sampling: 0) { servers in
            try await servers.call(traceparent: "00-\(Self.trace)-00f067aa0ba902b7-01")
            let front = servers.frontSpans.take(10)
            let server = try #require(front.first { $0.kind == .server })
            #expect(server.parent == "00f067aa0ba902b7")
            let all = front + servers.backSpans.take(10)
            #expect(all.count == 3)
            #expect(all.allSatisfy { $0.place.traceID == Self.trace })
        }
    }

    @Test("a trace that the caller does not sample is not recorded")
    func unsampled() async throws {
        try await run(sampling: 1) { servers in
            try await servers.call(traceparent: "00-\(Self.trace)-00f067aa0ba902b7-00")
            #expect(servers.frontSpans.take(10).isEmpty)
            #expect(servers.backSpans.take(10).isEmpty)
        }
    }

    @Test("sampling 0 records no new traces, and a malformed traceparent starts a new one")
    func none() async throws {
        try await run(sampling: 0) { servers in
            try await servers.call()
            try await servers.call(traceparent: "00-nonsense")
            #expect(servers.frontSpans.take(10).isEmpty)
            #expect(servers.backSpans.take(10).isEmpty)
        }
    }

    @Test("spans name method, status and caller, but not the call's content")
    func attributes() async throws {
        try await run(sampling: 1) { servers in
            await #expect(throws: ServiceError.self) { try await servers.call("fail") }
            let spans = servers.frontSpans.take(10) + servers.backSpans.take(10)
            let back = try #require(spans.last)
            #expect(back.status?.code == .error)
            var names: Set<String> = []
            for span in spans {
                span.attributes.forEach { name, value in
                    names.insert(name)
                    #expect(value != .string("fail"))
                }
            }
            #expect(
                names == [
                    "rpc.system", "rpc.service", "rpc.method", "rpc.response.status_code",
                    "postern.caller", "server.address",
                ])
            #expect(back.attributes.get("rpc.method") == .string("Answer"))
            #expect(back.attributes.get("rpc.response.status_code") == .string("unavailable"))
            #expect(back.attributes.get("postern.caller") == .string("front"))
        }
    }
}
