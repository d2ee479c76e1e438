/// The origin of a web site: `https://auth.example.com`, `http://localhost:7480`.
package enum HTTPOrigin {
    /// Whether `text` is `http` or `https`, a host and an optional port, and nothing else.
    package static func isOrigin(_ text: String) -> Bool {
        for (scheme, port) in [("https://", 443), ("http://", 80)] where text.hasPrefix(scheme) {
            let host = String(text.dropFirst(scheme.count))
            return ServiceAddress(host) != nil || ServiceAddress(host: host, port: port) != nil
        }
        return false
    }
}
