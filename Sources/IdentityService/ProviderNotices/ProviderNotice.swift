import Addresses
import ServiceRuntime

/// A signed notice of a provider about one of its users, independent of the provider's format.
/// `AppleNotice` reads Apple's format. Another format, for example RISC of the OpenID Foundation,
/// needs another reader that produces this type.
struct ProviderNotice: Hashable, Sendable {
    /// The event at the provider.
    enum Event: Hashable, Sendable {
        /// The user has revoked the consent for this app.
        case consentRevoked
        /// The user's account at the provider was deleted.
        case accountDeleted
        /// The provider's relay address was turned off or on.
        case relay(EmailAddress, isOff: Bool)
        /// An event without effect here: an unknown type, or about an address that is not a relay.
        case other
    }

    /// The provider's id of the notice, by which repeated deliveries are detected.
    let id: String
    /// The provider's subject of the user.
    let subject: String
    let event: Event
    /// Time of the event.
    let at: Timestamp
}
