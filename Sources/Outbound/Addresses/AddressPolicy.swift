/// Which machines a destination's name may resolve to.
///
/// A name that an outsider chose (a webhook, a photo's URL) may point into the operator's own
/// network: server-side request forgery. So it is judged after resolution, on the address that
/// would really be dialled, where a second DNS answer cannot slip in behind the check.
package enum AddressPolicy: Hashable, Sendable {
    /// Every address. For what the operator wrote into the settings, such as a mail relay, which
    /// is commonly private or loopback.
    case any
    /// Only addresses that belong to the public internet. For what comes from outside.
    case publicOnly

    /// Whether `address` may be dialled.
    package func allows(_ address: InternetAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: address.isPublic
        }
    }
}
