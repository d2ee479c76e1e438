package import HTTPTypes
package import Messages
package import ServiceRuntime

/// Keeps refresh tokens from the scripts of pages: for apps with `refresh: cookie` the token of
/// each response becomes a cookie, and each request that needs a token gets it from there.
///
/// The attack: a script that was smuggled into a page reads what the page can read. It can still
/// make calls while the page is open, but it cannot carry the session away.
///
/// One rule covers all methods: a text field named `refresh_token`, anywhere in the response, or
/// in the request itself. The schema says where they are.
package struct RefreshCookie: Sendable {
    private static let field = "refresh_token"
    private static let name = "postern-refresh"
    /// 400 days, the longest that browsers keep a cookie for. The session's own end counts: then
    /// the token is refused and the cookie deleted.
    private static let maxAge = 34_560_000
    /// The errors after which the token is of no use any more.
    private static let endings: Set<ErrorCode> = [
        .invalidRefreshToken, .refreshTokenReplayed, .sessionEnded, .providerRevoked,
    ]

    /// Where the messages of one method have refresh tokens.
    private struct Places: Sendable {
        let request: TextFieldPath?
        let response: [TextFieldPath]

        /// Whether the method ends the session of its refresh token.
        var isSignOut: Bool { request != nil && response.isEmpty }
    }

    private let places: [String: Places]

    /// Finds out which of `methods` take or return refresh tokens.
    package init(methods: [SchemaMethod]) {
        var places: [String: Places] = [:]
        for method in methods {
            let request = method.input.textField(at: [Self.field])
            let response = method.output.textFields(named: Self.field)
            guard request != nil || !response.isEmpty else { continue }
            places[method.name] = Places(request: request, response: response)
        }
        self.places = places
    }

    /// The methods with a refresh token in their request or response, sorted.
    var methods: [String] { places.keys.sorted() }

    /// The request with the cookie's token, if it needs one and has none.
    /// - Returns: The packed request, and whether its token is the cookie's.
    /// - Throws: `rpc/permission-denied` unless the call is surely made by a script of the app's
    ///   page: a form or a link of any page could send the cookie along, but neither `Origin` of
    ///   the app nor `connect-protocol-version`.
    package func insert(
        from fields: HTTPFields, into request: [UInt8], of caller: WebCaller, method: SchemaMethod
    ) throws(ServiceError) -> (request: [UInt8], isFromCookie: Bool) {
        guard caller.usesCookie, let place = places[method.name]?.request,
            let token = Self.cookie(caller).value(in: fields)
        else { return (request, false) }
        // A sign-out by the access token needs no other, and would not read it.
        guard method.options.session == .none || fields[.authorization] == nil else {
            return (request, false)
        }
        // A request that cannot be read is refused by the gateway.
        guard let (rest, given) = try? place.take(from: request), given ?? "" == "" else {
            return (request, false)
        }
        try Self.checkIsScript(fields)
        return (place.put(token, into: rest), true)
    }

    /// The response without its refresh token, and the cookie to set, if any.
    /// - Throws: `rpc/internal` for a response that cannot be read, rather than passing on a token
    ///   in it.
    package func take(
        from response: [UInt8], of caller: WebCaller, method: SchemaMethod
    ) throws(ServiceError) -> (body: [UInt8], setCookie: HTTPField?) {
        guard caller.usesCookie, let places = places[method.name] else { return (response, nil) }
        if places.isSignOut { return (response, Self.deletion(caller)) }
        var body = response
        var token = ""
        do {
            for place in places.response {
                let (rest, text) = try place.take(from: body)
                body = rest
                token = text ?? token
            }
        } catch {
            throw ServiceError(.internalError, detail: "a response of \(method.name): \(error)")
        }
        guard !token.isEmpty else { return (body, nil) }
        let cookie = Self.cookie(caller)
        guard cookie.isValue(token) else {
            throw ServiceError(.internalError, detail: "a refresh token is no value of a cookie")
        }
        return (body, cookie.field(token, .strict, maxAge: Self.maxAge))
    }

    /// The field that deletes the cookie after an error, if its session has ended. An error of
    /// another method may be about an earlier session of the page, so it deletes nothing.
    /// - Parameter isFromCookie: What `insert` returned.
    package func deletion(
        after error: ServiceError, of caller: WebCaller, method: SchemaMethod, isFromCookie: Bool
    ) -> HTTPField? {
        guard caller.usesCookie, Self.endings.contains(error.code),
            isFromCookie || places[method.name]?.isSignOut == true
        else { return nil }
        return Self.deletion(caller)
    }

    /// `CallerCheck` has found the origin among the app's.
    private static func checkIsScript(_ fields: HTTPFields) throws(ServiceError) {
        guard fields[.origin] != nil else {
            throw .refused(.permissionDenied, .origin, "A call with the cookie needs an Origin.")
        }
        guard fields[CallerField.connectProtocolVersion] == "1" else {
            throw .refused(
                .permissionDenied, CallerField.connectProtocolVersion,
                "A call with the cookie needs connect-protocol-version: 1.")
        }
        guard fields[CallerField.fetchSite].map(CrossOrigin.ownSites.contains) ?? true else {
            throw .refused(
                .permissionDenied, CallerField.fetchSite,
                "A call with the cookie needs a page on the web service's site.")
        }
    }

    // MARK: The cookie

    private static func deletion(_ caller: WebCaller) -> HTTPField {
        cookie(caller).field("", .strict, maxAge: 0)
    }

    private static func cookie(_ caller: WebCaller) -> HostCookie {
        HostCookie(name, isPlainLoopback: caller.isPlainLoopback, valueBytesMax: 512)
    }
}
