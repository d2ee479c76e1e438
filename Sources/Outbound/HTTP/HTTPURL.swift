import CCurl

/// The URL of a request: `https` (RFC 9110, 4.2), or `http` where that is allowed.
///
/// It is parsed by libcurl, which also opens the connection. Where two parsers disagree about the
/// end of a host name, an attacker can bypass the check.
package struct HTTPURL: Hashable, Sendable {
    /// The longest URL in bytes. Those of providers and their redirects are far shorter.
    package static let bytesMax = 2_048

    /// The URL as it was given.
    package let text: String
    /// Whether the connection uses TLS.
    package let isEncrypted: Bool
    /// The host's name or address, IPv6 in brackets.
    package let host: String
    /// The port. The scheme's default where the URL has none.
    package let port: UInt16

    /// Parses a URL. Nil for an invalid one, one with a user, password or fragment, and one with
    /// characters that must be escaped in a URL.
    /// - Parameter allowsPlain: Whether `http` is allowed: for a relay on this machine, and tests.
    package init?(_ text: String, allowsPlain: Bool) {
        guard (1...Self.bytesMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }),
            let handle = curl_url()
        else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle),
            scheme == "https" || (allowsPlain && scheme == "http"),
            let host = Self.part(CURLUPART_HOST, of: handle), !host.isEmpty,
            let port = Self.part(CURLUPART_PORT, of: handle).flatMap({ UInt16($0) }), port > 0
        else { return nil }
        self.text = text
        self.host = host
        self.port = port
        isEncrypted = scheme == "https"
    }

    /// Another path on the same server.
    /// - Parameter path: Begins with a slash. Its parts are escaped already.
    package func at(_ path: String) -> HTTPURL? {
        HTTPURL("\(isEncrypted ? "https" : "http")://\(host):\(port)\(path)", allowsPlain: true)
    }

    /// Characters that URL parsers are known to interpret differently.
    private static let forbidden: Set<UInt8> = Set("\"#<>\\^`{|}".utf8)

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = UInt32(CURLU_DEFAULT_PORT)
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
