/// Under what terms a connection was opened. libcurl lends a pooled connection to any transfer to
/// the same host, port and user, though it may have been opened in clear, with another trust file
/// (its check covers `smtps`, not STARTTLS), or to an address that this transfer may not dial. So
/// only a transfer of equal terms may have it; another opens its own.
struct ConnectionTerms: Hashable, Sendable {
    /// Where the destination's name may lead.
    let addresses: AddressPolicy
    /// Whether it must be encrypted.
    let isEncrypted: Bool
    /// Whom it trusts, where not the system's authorities.
    let trustFile: String?
}
