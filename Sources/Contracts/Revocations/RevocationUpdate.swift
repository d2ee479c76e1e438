package import Messages
package import ServiceRuntime

/// What a log of ends is told: new ends, how far it is complete, and which keys are in force.
package struct RevocationUpdate: Sendable {
    /// Ends, in their order.
    package let ends: [Revocation]
    /// The place of the last end that the teller knows.
    package let position: UInt64
    /// Up to when nothing is missing; nil while more is to come at once.
    package let completeAt: Timestamp?
    /// These ends take the place of all that were known.
    package let isReset: Bool
    /// SHA-256 of the key set in force.
    package let keySet: [UInt8]
    /// So long after its end a session need not be remembered.
    package let keptFor: Duration
    /// Which history the positions belong to; another one's are worth nothing.
    package let epoch: UInt64

    /// News.
    package init(
        ends: [Revocation], position: UInt64, completeAt: Timestamp?, isReset: Bool,
        keySet: [UInt8], keptFor: Duration, epoch: UInt64
    ) {
        self.ends = ends
        self.position = position
        self.completeAt = completeAt
        self.isReset = isReset
        self.keySet = keySet
        self.keptFor = keptFor
        self.epoch = epoch
    }

    /// The news that an item brings.
    package init(_ item: SessionV1.WatchEndsItem) {
        self.init(
            ends: item.ends.compactMap(Revocation.init), position: item.position,
            completeAt: item.completeAtMs > 0 ? Timestamp(milliseconds: item.completeAtMs) : nil,
            isReset: item.reset, keySet: item.keySet,
            keptFor: .milliseconds(min(max(0, item.keptForMs), Self.keptForMax.milliseconds)),
            epoch: item.epoch)
    }

    /// No access token lives for longer, whatever a peer says: a day.
    private static let keptForMax: Duration = .seconds(86_400)
}
