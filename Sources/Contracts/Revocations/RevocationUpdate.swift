package import Messages
package import ServiceRuntime

/// An update of a revocation log: new revocations, the time up to which it is complete, and the
/// current key set.
package struct RevocationUpdate: Sendable {
    /// The revocations, in order.
    package let ends: [Revocation]
    /// The position of the last revocation that the sender knows.
    package let position: UInt64
    /// The time up to which nothing is missing; nil while more items follow at once.
    package let completeAt: Timestamp?
    /// Whether these revocations replace all known ones.
    package let isReset: Bool
    /// SHA-256 of the current key set.
    package let keySet: [UInt8]
    /// How long after its end a session must be remembered.
    package let retention: Duration
    /// The history to which the positions belong. Positions of another epoch are invalid.
    package let epoch: UInt64
    /// The sender's clock when it sent the update; nil where that is not known.
    package let sentAt: Timestamp?

    /// An update.
    package init(
        ends: [Revocation], position: UInt64, completeAt: Timestamp?, isReset: Bool,
        keySet: [UInt8], retention: Duration, epoch: UInt64, sentAt: Timestamp? = nil
    ) {
        self.ends = ends
        self.position = position
        self.completeAt = completeAt
        self.isReset = isReset
        self.keySet = keySet
        self.retention = retention
        self.epoch = epoch
        self.sentAt = sentAt
    }

    /// The update in an item of the feed.
    package init(_ item: SessionV1.WatchRevocationsItem) {
        self.init(
            ends: item.ends.compactMap(Revocation.init), position: item.position,
            completeAt: item.completeAtMs > 0 ? Timestamp(milliseconds: item.completeAtMs) : nil,
            isReset: item.reset, keySet: item.keySet,
            retention: .milliseconds(min(max(0, item.keptForMs), Self.retentionMax.milliseconds)),
            epoch: item.epoch,
            sentAt: item.sentAtMs > 0 ? Timestamp(milliseconds: item.sentAtMs) : nil)
    }

    /// The update in an item of the public API's feed.
    package init(_ item: GatewayV1.WatchRevocationsItem) {
        let position = item.position ?? GatewayV1.RevocationPosition()
        self.init(
            SessionV1.WatchRevocationsItem(
                position: position.number, completeAtMs: item.completeAtMs, reset: item.reset,
                ends: item.revocations.map {
                    SessionV1.RevokedSession(
                        sessionId: $0.sessionId, endedAtMs: $0.endedAtMs,
                        reason: $0.reason,
                        position: position.number)
                },
                keysChanged: item.keysChanged, keySet: item.keySetHash, keptForMs: item.keptForMs,
                epoch: position.epoch))
    }

    /// Upper limit of `retention`, whatever a peer sends: a day. No access token lives longer.
    private static let retentionMax: Duration = .seconds(86_400)
}

extension GatewayV1.WatchRevocationsItem {
    /// The time up to which the client knows all revocations; 0 if more items follow.
    fileprivate var completeAtMs: Int64 {
        guard case .completeAtMs(let moment) = complete else { return 0 }
        return moment
    }
}
