import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("W-02: the keys that the JWKS URL serves", .timeLimit(.minutes(1)))
struct KeySetCacheTests {
    let time = ManualTime()
    let gateway = KeyOnlyGateway()
    let cache: KeySetCache

    init() { cache = KeySetCache(gateway, time: time) }

    @Test("a hundred requests within a second cost one call; the next second costs another")
    func once() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { _ = try await cache.current() }
            }
            try await group.waitForAll()
        }
        #expect(gateway.calls == 1)
        time.advance(by: .seconds(1))
        _ = try await cache.current()
        #expect(gateway.calls == 2)
    }

    @Test("another key set has another ETag")
    func entityTags() async throws {
        let first = try await cache.current()
        gateway.answer(.success("{\"keys\":[{}]}"))
        time.advance(by: .seconds(1))
        let second = try await cache.current()
        #expect(first.entityTag != second.entityTag)
        #expect(second.issuer == "postern")
    }

    @Test("while the gateway does not answer, the last keys are served for a minute")
    func stale() async throws {
        let first = try await cache.current()
        gateway.answer(.failure(ServiceError(.unavailable)))
        time.advance(by: .seconds(59))
        #expect(try await cache.current() == first)
        time.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.unavailable)) { try await cache.current() }
    }

    @Test("a gateway that fails is asked once a second; without keys its error is thrown")
    func none() async throws {
        gateway.answer(.failure(ServiceError(.unavailable)))
        for _ in 0..<10 {
            await #expect(throws: ServiceError(.unavailable)) { try await cache.current() }
        }
        #expect(gateway.calls == 1)
        gateway.answer(.success("{}"))
        time.advance(by: .seconds(1))
        #expect(try await cache.current().jwks == "{}")
        #expect(gateway.calls == 2)
    }

    @Test("between attempts at a gateway that fails, the last keys are served at once")
    func lastKeys() async throws {
        let first = try await cache.current()
        gateway.answer(.failure(ServiceError(.unavailable)))
        time.advance(by: .seconds(2))
        for _ in 0..<10 { #expect(try await cache.current() == first) }
        #expect(gateway.calls == 2)
        time.advance(by: .seconds(1))
        #expect(try await cache.current() == first)
        #expect(gateway.calls == 3)
    }
}

/// A gateway of which only the keys are asked for.
final class KeyOnlyGateway: VerificationAPI {
    private let state = Mutex((calls: 0, answer: Result<String, ServiceError>.success("{}")))

    var calls: Int { state.withLock { $0.calls } }

    func answer(_ answer: Result<String, ServiceError>) { state.withLock { $0.answer = answer } }

    func getKeySet(
        _ request: GatewayV1.GetKeySetRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetKeySetResponse {
        let answer = state.withLock { state in
            state.calls += 1
            return state.answer
        }
        return GatewayV1.GetKeySetResponse(jwks: try answer.get(), issuer: "postern")
    }

    func introspectToken(
        _ request: GatewayV1.IntrospectTokenRequest, _ context: CallContext
    ) async throws -> GatewayV1.IntrospectTokenResponse { throw ServiceError(.unknownMethod) }

    func watchRevocations(
        _ request: GatewayV1.WatchRevocationsRequest, _ context: CallContext
    ) -> IncomingItems<GatewayV1.WatchRevocationsItem> { fatalError("not called") }
}
