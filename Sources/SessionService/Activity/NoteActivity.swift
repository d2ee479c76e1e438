import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountActivityHandler {
    /// The longest `kind`, in bytes.
    static let kindBytesMax = 32

    /// Records that the session of an access token is in use (G-30), exactly as a validation of
    /// that token does: with a mark in memory (`Activity`), so that a call costs no write (S-05).
    ///
    /// Only a debug line has the kind. It is the app's own word: as a metric's label or as a row it
    /// would let a client fill memory or disk with words of its choice.
    /// - Throws: `rpc/invalid-argument`, `auth/invalid-access-token`, `auth/session-ended`;
    ///   `rpc/unavailable` while the clock is not trusted.
    func noteActivity(
        _ request: SessionV1.NoteActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.NoteActivityResponse {
        guard Self.isKind(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let token = try devices.caller(request.accessToken)
        let now = time.now()
        let session = try await store.read { try devices.liveSession(token, $0, at: now) }
        logger.debug(
            "session.activity.noted", "an app noted activity",
            fields: [.session: .text(session.id.text), .activity: .text(request.kind)])
        return SessionV1.NoteActivityResponse(
            idleExpiresAtMs: life.unusedEnd(of: session).milliseconds)
    }

    private static func isKind(_ text: String) -> Bool {
        text.isName(1...kindBytesMax, [.lower, .digit], marks: "-")
    }
}
