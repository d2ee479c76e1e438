import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// The notice to an account's owner about a session's end (S-03, G-10), written to the outbox in
/// the transaction of the end. Owners cause the other ends themselves, or are notified by the
/// service that caused them.
///
/// The outbox holds nothing personal in clear: the device's name stays sealed in the session's row
/// until the notice is delivered, and so does its place. Where a replay came from is in no row; the
/// message has it sealed.
enum OwnerNotice {
    /// The outbox's topic. A message's key is the session's id: a session ends once.
    static let topic = "owner-notice"

    /// The message; nil for an end without a notice. No device is signed out with a brief session:
    /// a page was closed by another one.
    /// - Parameter sealedPlace: Where a replay came from (`sealed`); empty if that is unknown.
    static func message(
        of session: Session, ended reason: EndReason, at moment: Timestamp, sealedPlace: [UInt8]
    ) -> OutboxMessage? {
        guard let kind = kind(of: reason), !session.isBrief else { return nil }
        let notice = SessionV1.StoredNotice(
            accountId: session.account.text, kind: kind, atMs: moment.milliseconds,
            sealedPlace: sealedPlace)
        return OutboxMessage(topic: topic, key: session.id.text, payload: notice.encoded())
    }

    /// The place of a replay, for the message of its session; empty if it is unknown.
    /// - Throws: `CryptographyError`.
    static func sealed(_ place: Place?, of session: SessionID, _ box: SealedBox) throws -> [UInt8] {
        guard let place else { return [] }
        return try box.seal(Array(place.text.utf8), at: .replay(of: session))
    }

    /// The place that `sealed` sealed; nil if it is unknown.
    /// - Throws: `SealedBoxError`.
    fileprivate static func opened(
        _ sealed: [UInt8], of session: SessionID, _ box: SealedBox
    ) throws -> Place? {
        guard !sealed.isEmpty else { return nil }
        let text = try box.open(sealed, at: .replay(of: session))
        return Place(text: String(decoding: text, as: UTF8.self))
    }

    private static func kind(of reason: EndReason) -> IdentityV1.NoticeKind? {
        switch reason {
        case .displaced: .sessionDisplaced
        case .replayed: .sessionReplayed
        case .signedOut, .inactive, .maximumAge, .security, .revoked, .providerRevoked,
            .accountDeleted:
            nil
        }
    }
}

extension SealedPlace {
    fileprivate static func replay(of session: SessionID) -> SealedPlace {
        SealedPlace(purpose: "outbox/\(OwnerNotice.topic)/\(session.text)")
    }
}

/// Delivers owner notices to identity, which knows the owner's mail address and language. Whatever
/// it throws is retried without limit: while identity is down, only notices are delayed.
struct NoticeDelivery: Sendable {
    /// For one notice; identity's commit takes milliseconds.
    private static let timeout: Duration = .seconds(10)

    let notices: any AccountNoticesAPI
    let store: Store
    let devicesShown: SealedBox
    let time: any Time
    let logger: Logger

    /// Returns once identity has accepted the notice or will never accept it.
    func deliver(_ message: OutboxMessage) async throws {
        guard message.topic == OwnerNotice.topic, let session = SessionID(text: message.key) else {
            // A newer version wrote it and will deliver it.
            throw ServiceError(.unknownMethod, detail: "no such outbox topic")
        }
        let request = try await request(message, of: session)
        do {
            _ = try await notices.tell(request, context(message))
        } catch let error as ServiceError where Self.isFinal(error.code) {
            logger.error(
                "outbox.delivery.dead", "an outbox message was dropped: it can not be delivered",
                fields: [.topic: .text(message.topic), .detail: .error(error)])
        }
    }

    /// The stored notice with what is known of the session's device. The place of a replay is its
    /// own: somebody else may be there.
    private func request(
        _ message: OutboxMessage, of session: SessionID
    ) async throws -> IdentityV1.TellRequest {
        let notice = try SessionV1.StoredNotice(decoding: message.payload)
        let device = try await store.read { try $0.storedDevice(of: session) }
        let shown = try device?.opened(of: session, box: devicesShown)
        let place =
            notice.kind == .sessionReplayed
            ? try OwnerNotice.opened(notice.sealedPlace, of: session, devicesShown) : shown?.place
        return IdentityV1.TellRequest(
            accountId: notice.accountId, kind: notice.kind, atMs: notice.atMs,
            deviceName: shown?.name ?? "", platform: device?.platform ?? "",
            place: place?.text ?? "", agent: shown?.agent ?? "")
    }

    /// Whether identity will never accept this notice. A reused key means that the first delivery
    /// was accepted, before the device's name changed or was deleted.
    private static func isFinal(_ code: ErrorCode) -> Bool {
        code == .invalidArgument || code == .idempotencyKeyReused
    }

    private func context(_ message: OutboxMessage) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = message.key
        return CallContext(deadline: time.uptime() + Self.timeout, metadata: metadata)
    }
}
