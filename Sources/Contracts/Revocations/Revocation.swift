package import Messages
package import ServiceRuntime

/// The revocation of a session, with its position in the log (S-06).
package struct Revocation: Hashable, Sendable {
    /// The position; later revocations have greater ones.
    package let position: UInt64
    /// The session.
    package let session: SessionID
    /// When the session ended.
    package let at: Timestamp
    /// Why it ended.
    package let reason: GatewayV1.EndReason

    /// A revocation.
    package init(
        position: UInt64, session: SessionID, at: Timestamp, reason: GatewayV1.EndReason
    ) {
        self.position = position
        self.session = session
        self.at = at
        self.reason = reason
    }

    /// The revocation in a message; nil if it names no session.
    package init?(_ message: SessionV1.RevokedSession) {
        guard let session = SessionID(text: message.sessionId) else { return nil }
        self.init(
            position: message.position, session: session,
            at: Timestamp(milliseconds: message.endedAtMs), reason: message.reason)
    }

    /// The revocation as a message.
    var message: SessionV1.RevokedSession {
        SessionV1.RevokedSession(
            sessionId: session.text, endedAtMs: at.milliseconds, reason: reason,
            position: position)
    }
}
