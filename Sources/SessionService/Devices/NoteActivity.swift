import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension DevicesHandler {
    /// The longest `kind`, in bytes.
    static let kindBytesMax = 32

    /// Records that the session of an access token is in use (G-30), exactly as a validation of
    /// that token does: with a mark in memory (`Activity`), so that a call costs no write (S-05).
    ///
    /// Only a debug line has the kind. It is the app's own word: as a metric's label or as a row it
    /// would let a client fill memory or disk with words of its choice.
    func noteActivity(
        _ request: GatewayV1.NoteActivityRequest, _ call: SessionCall
    ) async throws -> GatewayV1.NoteActivityResponse {
        guard Self.isKind(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let now = time.now()
        let session = try await store.read { try liveSession(call.token, $0, at: now) }
        logger.debug(
            "session.activity.noted", "an app noted activity",
            fields: [.session: .text(session.id.text), .activity: .text(request.kind)])
        return GatewayV1.NoteActivityResponse(
            idleExpiresAtMs: life.unusedEnd(of: session).milliseconds)
    }

    private static func isKind(_ text: String) -> Bool {
        text.isName(1...kindBytesMax, [.lower, .digit], marks: "-")
    }
}
