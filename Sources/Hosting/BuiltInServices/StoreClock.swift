import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// The clock commands of the operator (`postern clock`), in every service that has a store
/// (Sources/SECURITY.md, Clock).
package struct StoreClock: ClockService {
    private let store: Store
    private let time: any Time

    /// For the service of `store`, which set `time` when it was opened.
    package init(_ store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Returns the state of the clock.
    package func check(
        _ request: ClockV1.CheckRequest, _ context: CallContext
    ) -> ClockV1.CheckResponse {
        ClockV1.CheckResponse(
            waiting: store.clock.isHeld, nowMs: time.now().milliseconds,
            wallMs: time.wallClock().milliseconds)
    }

    /// Accepts the machine's clock as right and writes an audit record. The commit also moves the
    /// stored clock mark, so that after a restart the service continues from the accepted time.
    package func accept(
        _ request: ClockV1.AcceptRequest, _ context: CallContext
    ) async throws -> ClockV1.AcceptResponse {
        try context.requireOperator()
        let wasWaiting = store.clock.isHeld
        if store.clock.accept() {
            try await store.write(about: [], evenIfCancelled: true) {
                try $0.audit(AuditEvent(.clockAccepted))
            }
        }
        return ClockV1.AcceptResponse(wasWaiting: wasWaiting, nowMs: time.now().milliseconds)
    }
}
