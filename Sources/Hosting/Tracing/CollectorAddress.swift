import ServiceRuntime

/// Where a collector takes OTLP over HTTP: `http://host:port`, with a path where it is not the
/// usual one. Plain HTTP only: a collector stands beside the programs, and forwards by TLS what
/// leaves the house.
package struct CollectorAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or a numeric address.
    package let host: String
    /// OTLP's own port is 4318.
    package let port: Int
    /// `/v1/traces` unless given.
    package let path: String

    /// Reads the text of the setting; nil for what is none.
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

    /// As it is read.
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
