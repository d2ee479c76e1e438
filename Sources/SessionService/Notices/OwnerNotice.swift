import Messages
import ServiceRuntime
import Storage

/// The notice to an account's owner about a session's end (S-03, G-10), written to the outbox in
/// the transaction of the end. Owners cause the other ends themselves, or are notified by the
/// service that caused them.
///
/// The outbox holds nothing personal: the device's name stays sealed in the session's row until the
/// notice is delivered.
enum OwnerNotice {
    /// The outbox's topic. A message's key is the session's id: a session ends once.
    static let topic = "owner-notice"

    /// The message; nil for an end without a notice.
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
