/// The origin of a web site: `https://auth.example.com`, `http://localhost:7480`.
package enum HTTPOrigin {
    /// Whether `text` is `http` or `https`, a host and an optional port, and nothing else.
    package static func isOrigin(_ text: String) -> Bool { address(text) != nil }

    /// Whether `text` is an origin that only programs on the same machine can reach.
    package static func isLoopback(_ text: String) -> Bool { address(text)?.isLoopback == true }

    private static func address(_ text: String) -> ServiceAddress? {
        for (scheme, port) in [("https://", 443), ("http://", 80)] where text.hasPrefix(scheme) {
            let host = String(text.dropFirst(scheme.count))
            return ServiceAddress(host) ?? ServiceAddress(host: host, port: port)
        }
        return nil
    }
}
