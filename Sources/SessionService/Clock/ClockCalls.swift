import Messages
import ServiceRuntime
import Storage

/// The operator's questions and word about the clock.
struct ClockCalls: Sendable {
    let parts: SessionParts

    /// Where the clock stands.
    func check() -> SessionV1.CheckResponse {
        SessionV1.CheckResponse(
            waiting: parts.clock.isHeld, nowMs: parts.time.now().milliseconds,
            wallMs: parts.time.wallClock().milliseconds)
    }

    /// Takes the machine's clock for right, with its audit record; the commit also moves the mark,
    /// so that a restart does not ask again.
    func accept() async throws -> SessionV1.AcceptResponse {
        let wasWaiting = parts.clock.release()
        if wasWaiting {
            try await parts.store.write { try $0.audit(AuditEvent(.clockAccepted)) }
        }
        return SessionV1.AcceptResponse(
            wasWaiting: wasWaiting, nowMs: parts.time.now().milliseconds)
    }
}
