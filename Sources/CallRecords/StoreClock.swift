import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// The operator's questions and word about the clock of one service, at every service that has a
/// store: `postern clock` (Sources/SECURITY.md, Clock).
package struct StoreClock: ClockService {
    private let store: Store
    private let time: any Time

    /// Of the service that `store` belongs to; it set `time` when it was opened.
    package init(_ store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Where the clock stands.
    package func check(
        _ request: ClockV1.CheckRequest, _ context: CallContext
    ) -> ClockV1.CheckResponse {
        ClockV1.CheckResponse(
            waiting: store.clock.isHeld, nowMs: time.now().milliseconds,
            wallMs: time.wallClock().milliseconds)
    }

    /// Takes the machine's clock for right, with its audit record; the commit also moves the mark,
    /// so that a restart does not ask again and goes on from the accepted time.
    package func accept(
        _ request: ClockV1.AcceptRequest, _ context: CallContext
    ) async throws -> ClockV1.AcceptResponse {
        try context.requireOperator()
        let wasWaiting = store.clock.isHeld
        if store.clock.accept() {
            try await store.write { try $0.audit(AuditEvent(.clockAccepted)) }
        }
        return ClockV1.AcceptResponse(wasWaiting: wasWaiting, nowMs: time.now().milliseconds)
    }
}
