import HTTPTypes

/// Which pages may read responses (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
///
/// A browser sends the preflight request without the app's key, so an origin of any app is
/// answered. The call itself names the app, and `CallerCheck` refuses an origin that this app does
/// not have; all that a page of another app can read is that error.
enum CrossOrigin {
    /// `Sec-Fetch-Site` of pages on the web service's own site.
    static let ownSites: Set<String> = ["same-origin", "same-site"]

    /// What a page may send: the fields of Connect, gRPC-Web and our metadata, and those that
    /// resume an interrupted download.
    private static let requestFields = [
        "accept-language", "authorization", "connect-protocol-version", "connect-timeout-ms",
        "content-type", "grpc-timeout", "idempotency-key", "if-range", "range", "traceparent",
        "x-grpc-web", "x-postern-app", "x-user-agent",
    ].joined(separator: ", ")
    /// What a page may read besides the body.
    private static let exposedFields = [
        "accept-ranges", "content-disposition", "content-range", "etag", "grpc-status",
        "grpc-message", "grpc-status-details-bin", "retry-after",
    ].joined(separator: ", ")
    /// How long a browser may keep the answer, in seconds; Chromium keeps none for longer.
    private static let maxAge = "7200"

    /// The fields of a response. `Vary` is there for every request: a cache that kept the response
    /// to one origin would give it to another.
    static func responseFields(_ request: HTTPFields, _ apps: Apps) -> HTTPFields {
        var fields: HTTPFields = [.vary: "Origin"]
        guard let origin = request.value(of: .origin),
            let usesCookie = apps.usesCookie(origin: origin)
        else {
            return fields
        }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = exposedFields
        if usesCookie { fields[.accessControlAllowCredentials] = "true" }
        return fields
    }

    /// The answer to a preflight request; nil for another request. 403 for an origin that no app
    /// has.
    static func preflightResponse(to head: HTTPRequest, _ apps: Apps) -> HTTPResponse? {
        let request = head.headerFields
        guard head.method == .options, let origin = request[.origin],
            request[.accessControlRequestMethod] != nil
        else { return nil }
        var fields = responseFields(request, apps)
        fields[.vary] =
            "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
        guard apps.usesCookie(origin: origin) != nil else {
            return HTTPResponse(status: .forbidden, headerFields: fields)
        }
        fields[.accessControlExposeHeaders] = nil
        fields[.accessControlAllowMethods] = "GET, POST, PUT"
        fields[.accessControlAllowHeaders] = requestFields
        fields[.accessControlMaxAge] = maxAge
        return HTTPResponse(status: .noContent, headerFields: fields)
    }
}
