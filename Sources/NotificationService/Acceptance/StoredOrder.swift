package import ServiceRuntime

/// What can be asked to be sent, by one channel: checked at the door, sealed into the store, read
/// back and checked once more by whoever sends it.
package protocol StoredOrder: Sendable {
    /// The way it leaves.
    static var channel: Channel { get }
    /// Who it is for: what the same person's next message is known by. Hashed before it is stored.
    var recipientKey: [UInt8] { get }
    /// The same, as lists show it; see `MaskedRecipient`.
    var maskedRecipient: String { get }
    /// The name of its template.
    var templateName: String { get }
    /// How urgent the template is.
    var lane: Lane { get }
    /// From then on it is worth nothing.
    var expiresAt: Timestamp? { get }
    /// Whether it says a code, which must have an end (`AcceptedMessage.codeLifeMax`).
    var holdsCode: Bool { get }
    /// Whose message it is, so that forgetting the account finds it.
    var account: AccountID? { get }
    /// The whole, as it is sealed. Two equal requests have equal bytes.
    var storedBytes: [UInt8] { get }

    /// The order of these bytes.
    init(stored bytes: [UInt8]) throws
}

/// A sealed order that this program cannot read: of a newer one, or not an order.
package enum StoredOrderError: Error, Hashable, Sendable {
    /// Written by a newer program.
    case unknownVersion(UInt8)
    /// Cut, too long, or with something left over.
    case malformed
}
