import HTTPTypes
import NIOHTTP1

/// Which requests are read at all, as pure rules.
enum RequestHeadRule {
    /// Checks a request of either version, and gives it its authority.
    /// - Throws: `HTTPFailure`.
    static func checked(
        _ head: HTTPRequest, hosts: AllowedHosts, isTLS: Bool
    ) throws(HTTPFailure) -> HTTPRequest {
        var head = head
        guard head.method != .connect, head.method != .trace else {
            throw HTTPFailure(allowing: "GET, HEAD, POST, PUT, OPTIONS")
        }
        let path = head.path ?? ""
        guard path.utf8.first == UInt8(ascii: "/") || path == "*" && head.method == .options,
            isTarget(path.utf8.span)
        else { throw HTTPFailure(.badRequest, "the request target must be a path") }
        while let index = head.headerFields.firstIndex(where: { isHost($0.name) }) {
            let host = head.headerFields.remove(at: index).value
            // Two parsers could choose different ones (RFC 9113, 8.3.1).
            guard host == head.authority ?? host else {
                throw HTTPFailure(.badRequest, ":authority and host differ")
            }
            head.authority = host
        }
        guard let authority = head.authority, !authority.isEmpty else {
            throw HTTPFailure(.badRequest, "the host is missing")
        }
        guard hosts.allow(authority, isTLS: isTLS) else {
            throw HTTPFailure(
                .misdirectedRequest,
                "this server does not answer for this host; the operator's setting web-origins "
                    + "names those that it answers for")
        }
        guard
            head.headerFields.value(of: .expect).map({ $0.lowercased() == "100-continue" }) ?? true
        else {
            throw HTTPFailure(.expectationFailed, "unknown expectation")
        }
        return head
    }

    /// Whether these are visible characters of ASCII, without a fragment.
    private static func isTarget(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "#") else { return false }
        }
        return true
    }

    /// A request of HTTP/1.1 in the form of both versions.
    ///
    /// The parser refuses most messages that two servers could split differently (request
    /// smuggling, RFC 9112, 11.2): bare LF, folded lines, space before a colon, a
    /// `content-length` that is repeated, not a number or beside `transfer-encoding`. It does not
    /// see fields whose name or value HTTP forbids, a repeated `host`, and codings before
    /// `chunked`.
    /// - Throws: `HTTPFailure`.
    static func request(
        _ head: HTTPRequestHead, isTLS: Bool
    ) throws(HTTPFailure) -> HTTPRequest {
        guard let method = HTTPRequest.Method(head.method.rawValue) else {
            throw HTTPFailure(.badRequest, "the method is not valid")
        }
        let absolute = absoluteForm(head.uri)
        var request = HTTPRequest(
            method: method, scheme: isTLS ? "https" : "http", authority: nil,
            path: absolute?.path ?? head.uri)
        request.headerFields.reserveCapacity(head.headers.count)
        var hostCount = 0
        for (name, text) in head.headers {
            let value = withoutTrailingSpace(text)
            // `HTTPField` replaces characters that HTTP forbids.
            guard let name = HTTPField.Name(name) else { throw invalidField }
            let field = HTTPField(name: name, value: value)
            guard field.value == value else { throw invalidField }
            if isHost(name) {
                hostCount += 1
                request.authority = value
            } else {
                request.headerFields.append(field)
            }
        }
        guard hostCount == 1 else {
            throw HTTPFailure(.badRequest, "a request must have one host")
        }
        // Clients must send the same (RFC 9112, 3.2). Two servers could choose different ones.
        if let absolute, absolute.authority.lowercased() != request.authority?.lowercased() {
            throw HTTPFailure(.badRequest, "the request target and host differ")
        }
        try checkFraming(request.headerFields, head.version)
        return request
    }

    private static let invalidField = HTTPFailure(.badRequest, "a field is not valid")

    /// The parts of a request target in absolute form, which clients send to proxies and which
    /// every server has to accept (RFC 9112, 3.2.2); nil for another form. The scheme is ignored: a
    /// proxy may end TLS before us.
    private static func absoluteForm(_ target: String) -> (authority: String, path: String)? {
        guard target.utf8.first != UInt8(ascii: "/"),
            let scheme = ["http://", "https://"].first(where: {
                target.prefix($0.count).lowercased() == $0
            })
        else { return nil }
        let rest = target.utf8.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
        let path = String(target[end...])
        return (String(target[rest.startIndex..<end]), path.hasPrefix("/") ? path : "/" + path)
    }

    /// White space after a value is no part of it (RFC 9112, 5.1). The parser removes only that
    /// before.
    private static func withoutTrailingSpace(_ value: String) -> String {
        func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
        guard isSpace(value.utf8.last) else { return value }
        var rest = value.utf8[...]
        while isSpace(rest.last) { rest.removeLast() }
        return String(Substring(rest))
    }

    /// `HTTPTypes` has no constant for it: it keeps the value as the authority.
    private static func isHost(_ name: HTTPField.Name) -> Bool { name.canonicalName == "host" }

    private static func checkFraming(
        _ fields: HTTPFields, _ version: HTTPVersion
    ) throws(HTTPFailure) {
        let lengths = fields[fields: .contentLength].count
        let codings = fields[values: .transferEncoding]
        guard lengths + codings.count <= 1 else {
            throw HTTPFailure(.badRequest, "the length of the body is ambiguous")
        }
        guard let coding = codings.first else { return }
        guard version == .http1_1, coding.lowercased() == "chunked" else {
            throw HTTPFailure(.notImplemented, "this transfer coding is not supported")
        }
    }
}
