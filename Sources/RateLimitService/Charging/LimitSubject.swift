/// What a limit's subject is, and so which of the texts that callers name are one and the same.
enum LimitSubject: Sendable {
    /// As it is given: an email that the gateway has normalised, an account.
    case text
    /// An address with anything behind a `|`: what one household holds, IPv6 by /64.
    case address
    /// The same for what one customer is given, IPv6 by /48.
    case site
    /// The same by what one customer is likely to have in a row, IPv6 by /48 and IPv4 by /24: to tell
    /// one attacker from many, not to refuse his neighbours.
    case network
    /// A phone number: its block of a thousand.
    case phoneBlock
    /// A phone number: its country.
    case phoneCountry

    /// The one text for all that mean the same.
    func fold(_ subject: String) -> String {
        switch self {
        case .text: subject
        case .address: AddressFold.fold(subject, v6: 8)
        case .site: AddressFold.fold(subject, v6: 6)
        case .network: AddressFold.fold(subject, v6: 6, v4: 3)
        case .phoneBlock: PhoneFold.block(subject)
        case .phoneCountry: PhoneFold.country(subject)
        }
    }
}
