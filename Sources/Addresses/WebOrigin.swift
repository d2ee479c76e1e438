/// An origin (RFC 6454, section 6.2) in the one form in which browsers send it, so that comparing
/// texts compares origins: lower case, no default port, no path.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The accepted texts, for people.
    package static let expected =
        "an origin such as https://app.example.org or http://localhost:3000: lower case, without a "
        + "path, a default port or *; http only for localhost"

    /// The origin's text, for example `https://app.example.org:8443`.
    package let description: String

    /// Parses an origin. Nil for any other text: for `null`, which sandboxed frames of every page
    /// share; for wildcards; and for `http` beyond this machine, where anyone on the network can
    /// answer in its name.
    package init?(_ text: String) {
        guard let separator = text.firstRange(of: "://"),
            Self.isScheme(text[..<separator.lowerBound])
        else { return nil }
        let scheme = text[..<separator.lowerBound]
        guard let (host, port) = Self.hostAndPort(text[separator.upperBound...]),
            scheme != "http" || LoopbackHost.names.contains(String(host)),
            Self.isPort(port, of: scheme)
        else { return nil }
        description = text
    }

    /// The same for a web site, so with `https` or `http`; nil for origins of pages that an app on
    /// a phone has in itself, such as `capacitor://localhost`.
    package init?(site text: String) {
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return nil }
        self.init(text)
    }

    /// Whether only programs on this machine can reach it.
    package var isLoopback: Bool {
        guard let separator = description.firstRange(of: "://") else { return false }
        return LoopbackHost.isHost(of: String(description[separator.upperBound...]))
    }

    private static func isScheme(_ scheme: Substring) -> Bool {
        scheme.utf8.first.map { isLowerCase($0) } == true
            && scheme.utf8.allSatisfy {
                isLowerCase($0) || isDigit($0) || "+-.".utf8.contains($0)
            }
    }

    /// Splits `host:port`. Nil where the host is none.
    private static func hostAndPort(_ text: Substring) -> (host: Substring, port: Substring?)? {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let address = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard InternetAddress(text: String(address)) != nil, address.contains(":"),
                address.utf8.allSatisfy({ !(65...90).contains($0) }),
                rest.isEmpty || rest.first == ":"
            else { return nil }
            return (text[...end], rest.isEmpty ? nil : rest.dropFirst())
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, let first = host.utf8.first, let last = host.utf8.last,
            isLowerCase(first) || isDigit(first), isLowerCase(last) || isDigit(last),
            host.utf8.allSatisfy({ isLowerCase($0) || isDigit($0) || "-._".utf8.contains($0) })
        else { return nil }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    private static func isPort(_ port: Substring?, of scheme: Substring) -> Bool {
        guard let port else { return true }
        guard port.utf8.allSatisfy(isDigit), port.first != "0", let number = UInt16(port) else {
            return false
        }
        return (scheme, number) != ("https", 443) && (scheme, number) != ("http", 80)
    }

    private static func isLowerCase(_ byte: UInt8) -> Bool { (97...122).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

/// The hosts of this machine, to which plain HTTP is safe.
package enum LoopbackHost {
    /// As they are in URLs.
    package static let names: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether the authority `host` or `host:port` is one of them.
    package static func isHost(of authority: String) -> Bool {
        if names.contains(authority) { return true }
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return false }
        return names.contains(String(authority[..<colon]))
    }
}
