package import ServiceRuntime

/// A message to send by one channel. It is validated when it is accepted, sealed in the store, and
/// validated again when it is decoded for delivery.
package protocol StoredOrder: Sendable {
    /// The channel by which it is delivered.
    static var channel: Channel { get }
    /// Identifies the recipient across messages. Hashed before it is stored.
    var recipientKey: [UInt8] { get }
    /// The recipient as lists show it; see `MaskedRecipient`.
    var maskedRecipient: String { get }
    /// The template's name.
    var templateName: String { get }
    /// The template's priority class.
    var lane: Lane { get }
    /// When it expires.
    var expiresAt: Timestamp? { get }
    /// Whether it contains a code, in which case it must expire (`AcceptedMessage.codeLifeMax`).
    var holdsCode: Bool { get }
    /// The account, so that erasing the account finds the message.
    var account: AccountID? { get }
    /// The encoded form that is sealed. Two equal requests have equal bytes.
    var storedBytes: [UInt8] { get }

    /// Decodes the stored form.
    /// - Throws: an error when the bytes cannot be decoded, for example `StoredOrderError`.
    init(stored bytes: [UInt8]) throws
}

/// A sealed order that this program cannot decode.
package enum StoredOrderError: Error, Hashable, Sendable {
    /// Written by a newer program.
    case unknownVersion(UInt8)
    /// Truncated, too long, or followed by extra bytes.
    case malformed
}
