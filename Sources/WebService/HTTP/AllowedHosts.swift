import Addresses

/// The hosts that requests may be for: those of the setting `web-origins`.
///
/// A page of an attacker can give its own name our address (DNS rebinding). The browser then takes
/// our answers for the page's own, but it still sends the page's name as `Host`.
struct AllowedHosts: Sendable {
    private let hosts: Set<String>

    /// - Parameters:
    ///   - origins: such as `https://auth.example.com`. One that is not of that form allows
    ///     nothing. Without any, loopback names with the listener's own port are allowed.
    ///   - port: the port of the listener.
    init(origins: [String], port: Int) {
        if origins.isEmpty {
            hosts = Set(LoopbackHost.names.map { "\($0):\(port)" })
        } else {
            hosts = Set(origins.compactMap { Self.host(of: $0) })
        }
    }

    /// Whether a request with this `Host` or `:authority` may be answered.
    func allow(_ authority: String, isTLS: Bool) -> Bool {
        if hosts.contains(authority) { return true }
        guard !authority.isEmpty, !authority.contains("@") else { return false }
        let name = authority.lowercased()
        return hosts.contains(name)
            // The port is left out if it is the scheme's own. A proxy may end TLS before us.
            || !Self.hasPort(name)
                && (hosts.contains("\(name):443") || !isTLS && hosts.contains("\(name):80"))
    }

    /// The host of an origin, with its port.
    private static func host(of origin: String) -> String? {
        for (scheme, port) in [("https://", "443"), ("http://", "80")] {
            let text = origin.lowercased()
            guard text.hasPrefix(scheme) else { continue }
            let host = text.dropFirst(scheme.count)
            guard !host.isEmpty, !host.contains(where: { "/@?# ".contains($0) }) else { return nil }
            return hasPort(host) ? String(host) : "\(host):\(port)"
        }
        return nil
    }

    /// Whether a port follows the name. The colons of an IPv6 address are in brackets.
    private static func hasPort(_ host: some StringProtocol) -> Bool {
        guard let colon = host.lastIndex(of: ":") else { return false }
        return !host[colon...].contains("]")
    }
}
