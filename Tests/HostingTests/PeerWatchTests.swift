import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Hosting

@Suite("B3: the health of peers is checked")
struct PeerWatchTests {
    /// A peer whose answer the test sets.
    private final class Peer: HealthService {
        let answer = Mutex<Result<HealthV1.ServingStatus, ServiceError>>(.success(.serving))

        func check(
            _ request: HealthV1.CheckRequest, _ context: CallContext
        ) throws -> HealthV1.CheckResponse {
            HealthV1.CheckResponse(status: try answer.withLock { $0 }.get())
        }

        func watch(
            _ request: HealthV1.CheckRequest, _ items: OutgoingItems<HealthV1.CheckResponse>,
            _ context: CallContext
        ) async throws {}
    }

    private let peer = Peer()
    private let time = ManualTime()

    private func set(_ answer: Result<HealthV1.ServingStatus, ServiceError>) {
        peer.answer.withLock { $0 = answer }
    }

    @Test("B3: a peer fails if it is unreachable, silent or stopping, or if it rejects our key")
    func words() async {
        let watch = PeerWatch(
            name: "session", peer: peer, condition: PartCondition(time: time), time: time)
        let table: [(Result<HealthV1.ServingStatus, ServiceError>, String?)] = [
            (.success(.serving), nil), (.success(.notServing), "does not serve"),
            (.failure(ServiceError(.unavailable)), "cannot be reached"),
            (.failure(ServiceError(.deadlineExceeded)), "does not answer in time"),
            (.failure(ServiceError(.unauthenticated)), "refuses this program's key"),
            (.failure(ServiceError(.resourceExhausted)), nil),
            (.failure(ServiceError(.unknownMethod)), nil),
        ]
        for (answer, word) in table {
            set(answer)
            #expect(await watch.look() == word)
        }
    }

    @Test("B3: two failures in a row mark the peer as failing, and one answer clears it")
    func twice() async throws {
        let condition = PartCondition(time: time)
        let watch = PeerWatch(name: "session", peer: peer, condition: condition, time: time)
        set(.failure(ServiceError(.unavailable)))
        let work = Task { try await watch.run() }
        await time.sleepers(1)
        #expect(condition.failure == nil)
        time.advance(by: PeerWatch.interval)
        await time.sleepers(1)
        #expect(condition.failure?.detail == "cannot be reached")
        set(.success(.serving))
        time.advance(by: PeerWatch.interval)
        await time.sleepers(1)
        #expect(condition.failure == nil)
        work.cancel()
        _ = await work.result
    }

    @Test("X-07: only a check that the peer has passed says that it serves")
    func serves() async throws {
        let condition = PartCondition(time: time)
        let watch = PeerWatch(name: "gateway", peer: peer, condition: condition, time: time)
        let served = Mutex<[String]>([])
        set(.failure(ServiceError(.unavailable)))
        let work = Task {
            try await watch.run(serves: { name in served.withLock { $0.append(name) } })
        }
        await time.sleepers(1)
        #expect(served.withLock { $0 } == [])
        set(.success(.serving))
        time.advance(by: PeerWatch.interval)
        await time.sleepers(1)
        #expect(served.withLock { $0 } == ["gateway"])
        work.cancel()
        _ = await work.result
    }
}
