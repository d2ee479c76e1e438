package import Messages
package import ServiceRuntime

/// A session's end at its place in the order of ends (S-06).
package struct Revocation: Hashable, Sendable {
    /// Its place: greater for each later end.
    package let position: UInt64
    /// The session.
    package let session: SessionID
    /// When it ended.
    package let at: Timestamp
    /// Why.
    package let reason: SessionV1.EndReason

    /// An end.
    package init(
        position: UInt64, session: SessionID, at: Timestamp, reason: SessionV1.EndReason
    ) {
        self.position = position
        self.session = session
        self.at = at
        self.reason = reason
    }

    /// The end that a message tells of; nil where it names no session.
    package init?(_ message: SessionV1.RevokedSession) {
        guard let session = SessionID(text: message.sessionId) else { return nil }
        self.init(
            position: message.position, session: session,
            at: Timestamp(milliseconds: message.endedAtMs), reason: message.reason)
    }

    /// The end on the wire.
    var message: SessionV1.RevokedSession {
        SessionV1.RevokedSession(
            sessionId: session.text, endedAtMs: at.milliseconds, reason: reason,
            position: position)
    }
}
