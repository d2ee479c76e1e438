package import Addresses

/// Which addresses a destination's name may resolve to.
///
/// A name that an outsider chose (a webhook, a photo's URL) may point into the operator's own
/// network: server-side request forgery. So the check is on the address to connect to, after the
/// name is resolved. A second DNS answer cannot bypass it.
package enum AddressPolicy: Hashable, Sendable {
    /// Any address. For destinations in the operator's settings, such as a mail relay, which is
    /// often private or loopback.
    case any
    /// Only public addresses. For destinations from outside.
    case publicOnly

    /// Whether a connection to `address` is allowed.
    package func allows(_ address: InternetAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: address.isPublic
        }
    }
}
