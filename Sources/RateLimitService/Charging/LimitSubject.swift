/// How a subject is canonicalised before hashing, so that equivalent inputs share one bucket.
enum LimitSubject: Sendable {
    /// Unchanged: an email that the gateway has normalised, or an account.
    case text
    /// An address with optional text after a `|`: what one household has, IPv6 by /64.
    case address
    /// The same for what one customer has, IPv6 by /48.
    case site
    /// The same for what one customer is likely to have in one range, IPv6 by /48 and IPv4 by /24.
    /// It distinguishes one attacker from many; it must not be used to refuse the attacker's
    /// neighbours.
    case network
    /// A phone number: its block of a thousand.
    case phoneBlock
    /// A phone number: its country.
    case phoneCountry

    /// The canonical form of a subject.
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
