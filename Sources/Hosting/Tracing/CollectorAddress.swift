import ServiceRuntime

/// The address of a collector of OTLP over HTTP: `http://host:port`, with a path where it is not
/// the default one. Only plain HTTP: the collector runs near the programs and forwards spans to
/// other networks with TLS.
package struct CollectorAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or a numeric address.
    package let host: String
    /// The port. OTLP's default is 4318.
    package let port: Int
    /// The path. The default is `/v1/traces`.
    package let path: String

    /// Parses the setting. Nil for an invalid text.
    package init?(_ text: String) {
        guard text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        guard !authority.isEmpty, !authority.contains("@"),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        let isPortless =
            authority.hasSuffix("]") || !authority.contains(":")
        let full = isPortless ? "\(authority):4318" : String(authority)
        guard let address = Self.address(full) else { return nil }
        (host, port) = address
        self.path = path.isEmpty || path == "/" ? "/v1/traces" : String(path)
    }

    /// The same text that the parser reads.
    package var description: String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }
}

extension CollectorAddress {
    private static func address(_ text: String) -> (String, Int)? {
        guard let address = ServiceAddress(text), address.port > 0 else { return nil }
        return (address.host, address.port)
    }
}
