import Messages
import ServiceRuntime
import Storage

/// What an account's owner is told of a session's end (S-03, G-10), written into the outbox with
/// the end itself. Of the other ends they are the cause, or are told by whoever caused them.
///
/// Nothing personal waits here: the device's name stays sealed in the session's row until the
/// notice is handed over.
enum OwnerNotice {
    /// The outbox's topic. A message's key is the session's id: a session ends once.
    static let topic = "owner-notice"

    /// The message; nil for an end that needs none.
    static func message(
        of session: Session, ended reason: EndReason, at moment: Timestamp
    ) -> OutboxMessage? {
        guard let kind = kind(of: reason) else { return nil }
        let request = IdentityV1.TellRequest(
            accountId: session.account.text, kind: kind, atMs: moment.milliseconds)
        return OutboxMessage(topic: topic, key: session.id.text, payload: request.encoded())
    }

    private static func kind(of reason: EndReason) -> IdentityV1.NoticeKind? {
        switch reason {
        case .displaced: .sessionDisplaced
        case .replayed: .sessionReplayed
        case .signedOut, .inactive, .maximumAge, .security, .revoked, .providerRevoked: nil
        }
    }
}
