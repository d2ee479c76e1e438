import CCurl

/// Where a request goes: an `https` URL (RFC 9110, 4.2), or an `http` one where that is allowed.
///
/// It is read by the parser of the library that will dial it. Two parsers that disagree about where
/// a host name ends are how a check is walked around.
package struct HTTPURL: Hashable, Sendable {
    /// The longest URL in bytes; what providers and their redirects use is far shorter.
    package static let bytesMax = 2_048

    /// The URL as it was given.
    package let text: String
    /// Whether it is dialled with TLS.
    package let isEncrypted: Bool
    /// The host's name or address, IPv6 in brackets.
    package let host: String
    /// The port, the scheme's own where the URL names none.
    package let port: UInt16

    /// Reads a URL; nil for what is none, holds a user, a password or a fragment, or bytes that a
    /// URL has only in escaped form.
    /// - Parameter allowsPlain: whether `http` will do: for a relay on this machine, and tests.
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

    /// The same server, another path.
    /// - Parameter path: begins with a slash; its parts are escaped already.
    package func at(_ path: String) -> HTTPURL? {
        HTTPURL("\(isEncrypted ? "https" : "http")://\(host):\(port)\(path)", allowsPlain: true)
    }

    /// Characters that parsers are known to disagree on.
    private static let forbidden: Set<UInt8> = Set("\"#<>\\^`{|}".utf8)

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let flags = UInt32(CURLU_DEFAULT_PORT)
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
