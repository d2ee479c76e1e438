import Addresses

/// When browsers are to use `https` alone for our host from now on (RFC 6797, HSTS). Attack: a
/// network answers the first request of a person who types the host's name, or an old `http` link.
///
/// The policy holds for all ports of a host name, and for a year. So it is sent only where the host
/// answers at the port of `https` itself. A service on another port, or a certificate for
/// development on `localhost`, would make other programs on that host unreachable over `http`.
enum StrictTransport {
    /// A year, without subdomains: they need not be ours.
    static let policy = "max-age=31536000"

    /// Whether responses over our own TLS for this `Host` or `:authority` have the policy.
    static func applies(to authority: String) -> Bool {
        var host = authority.lowercased()[...]
        if host.hasSuffix(":443") { host = host.dropLast(":443".count) }
        // A remaining colon means another port or an IPv6 address. Browsers ignore the policy for
        // IP addresses.
        guard !host.isEmpty, !host.contains(":"), InternetAddress(text: String(host)) == nil else {
            return false
        }
        // RFC 6761, 6.3.
        return host != "localhost" && !host.hasSuffix(".localhost")
    }
}
