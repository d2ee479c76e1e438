import EmailAddresses
import ServiceRuntime

/// What a provider has signed about one of its users, whichever form the provider writes it in.
/// Apple's form is `AppleNotice`; another provider's (RISC of the OpenID Foundation) is one more
/// reader of this kind.
struct ProviderNotice: Hashable, Sendable {
    /// What happened there.
    enum Event: Hashable, Sendable {
        /// The person wants no more to do with this app.
        case consentRevoked
        /// The person's account at the provider is gone.
        case accountDeleted
        /// The provider's relay passes mail on to the person, or does not.
        case relay(EmailAddress, isOff: Bool)
        /// Nothing that we act on: a newer kind, or about an address that is no relay.
        case other
    }

    /// The provider's name for this notice, by which a repeat is known.
    let id: String
    /// The provider's name for the person.
    let subject: String
    let event: Event
    /// When it happened.
    let at: Timestamp
}
