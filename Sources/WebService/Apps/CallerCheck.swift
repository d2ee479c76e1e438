package import Addresses
package import HTTPTypes
package import Messages
package import ServiceRuntime

/// Decides who makes a call, and whether they may, before anything of it is done.
package struct CallerCheck: Sendable {
    private let apps: Reloadable<Apps>
    private let trusted: [AddressNetwork]
    private let time: any Time

    /// - Parameters:
    ///   - apps: The operator's apps, replaced when their file changes.
    ///   - trusted: The proxies whose fields about the client's address count.
    package init(apps: Reloadable<Apps>, trusted: [AddressNetwork], time: any Time) {
        self.apps = apps
        self.trusted = trusted
        self.time = time
    }

    /// The caller of `method`. For a backend, `WebCaller.check(body:)` has to follow.
    /// - Parameter bindsBody: Whether the token of a backend must name the request's body. It
    ///   cannot where it is a part of the body itself (`client_assertion`, RFC 7523).
    /// - Throws: `rpc/unauthenticated` without the key of an app or a token of a backend;
    ///   `rpc/permission-denied` for a page whose origin the app does not have, and for a method
    ///   that the app may not call.
    package func caller(
        of head: HTTPRequest, _ client: HTTPClientInfo, method: SchemaMethod,
        bindsBody: Bool = true
    ) throws(ServiceError) -> WebCaller {
        let apps = apps.value
        guard let text = head.headerFields.value(of: CallerField.app) else {
            throw Self.unknownCaller(
                "Send the app's key (pk_…) of the operator's apps-file, or the token of a backend "
                    + "(postern token app).")
        }
        var (app, token): (App?, BackendToken?)
        if text.hasPrefix("pk_") {
            guard let found = apps.app(key: text) else {
                throw Self.unknownCaller("No app in the operator's apps-file has this key.")
            }
            app = found
        } else {
            token = try backendToken(text, method, bindsBody: bindsBody)
        }
        try Self.checkPage(head.headerFields, app)
        if let app, !method.options.isPublic || !app.allows(method.name) {
            throw .refused(
                .permissionDenied, CallerField.app,
                method.options.isPublic
                    ? "The app's methods in the operator's apps-file do not permit \(method.name)."
                    : "\(method.name) is for backends, which send a token (postern token app).")
        }
        return WebCaller(
            app: app, applicationToken: token == nil ? nil : text,
            clientAddress: address(head.headerFields, client).text,
            responseFields: CrossOrigin.responseFields(head.headerFields, apps),
            isPlainLoopback: Self.isPlainLoopback(head, client), bodyHash: token?.bodyHash)
    }

    /// The caller of a public method that a browser asks for without being able to name the app, as
    /// for an `<img>`: then it is anyone, of whom only the address is known.
    /// - Throws: as `caller`, for a request that names its caller.
    func callerOrAnyone(
        of head: HTTPRequest, _ client: HTTPClientInfo, method: SchemaMethod
    ) throws(ServiceError) -> WebCaller {
        guard head.headerFields[CallerField.app] == nil else {
            return try caller(of: head, client, method: method)
        }
        return WebCaller(
            app: nil, applicationToken: nil,
            clientAddress: address(head.headerFields, client).text,
            responseFields: responseFields(of: head),
            isPlainLoopback: Self.isPlainLoopback(head, client), bodyHash: nil)
    }

    /// The fields of a response to a request that was refused, so that the page of an app can read
    /// the error.
    package func responseFields(of head: HTTPRequest) -> HTTPFields {
        CrossOrigin.responseFields(head.headerFields, apps.value)
    }

    /// The response to a preflight request, by which a browser asks whether a page may make a call;
    /// nil for another request.
    package func preflightResponse(to head: HTTPRequest) -> HTTPResponse? {
        CrossOrigin.preflightResponse(to: head, apps.value)
    }

    /// The address of the person, for limits and their list of sessions.
    package func address(_ fields: HTTPFields, _ client: HTTPClientInfo) -> ClientAddress {
        ForwardedAddress.of(
            peer: client.peer, isFromTrustedProxy: client.isFromTrustedProxy,
            forwarded: fields[values: CallerField.forwarded],
            xForwardedFor: fields[values: CallerField.xForwardedFor], trusted: trusted)
    }

    private func backendToken(
        _ text: String, _ method: SchemaMethod, bindsBody: Bool
    ) throws(ServiceError) -> BackendToken {
        guard let token = BackendToken(text) else {
            throw Self.unknownCaller(
                "It is neither an app's key (pk_…) nor a token whose claims exp, method and bh, "
                    + "if it has one, are well-formed.")
        }
        if let refusal = token.refusal(
            method: method, bindsBody: bindsBody, at: time.now())
        {
            throw Self.unknownCaller(rule: refusal.rule, refusal.sentence)
        }
        return token
    }

    /// Whether a page may make the call. The attack that it stops: any page that a person opens can
    /// make their browser send requests, with its cookies and from inside their network.
    ///
    /// A backend has no pages. A request without `Origin` comes from a program, or is no request
    /// across origins; browsers that send `Sec-Fetch-Site` confirm that.
    private static func checkPage(_ fields: HTTPFields, _ app: App?) throws(ServiceError) {
        let site = fields.value(of: CallerField.fetchSite)
        if let origin = fields.value(of: .origin) {
            guard let app, app.origins.contains(origin) else {
                throw .refused(
                    .permissionDenied, .origin,
                    "The page's origin is not one of the app's origins in the operator's "
                        + "apps-file.")
            }
        } else if site == "cross-site" {
            throw .refused(
                .permissionDenied, CallerField.fetchSite, "The page's origin is not known.")
        }
        // A browser would not store the cookie of the response, and the session would be lost.
        if app?.refresh == .cookie, let site, !CrossOrigin.ownSites.contains(site) {
            throw .refused(
                .permissionDenied, CallerField.fetchSite,
                "With refresh: cookie, the page and the web service must be on one site.")
        }
    }

    /// Whether the person's browser reaches the web service by plain HTTP on the same machine.
    /// Behind a proxy the scheme is not known, and a cookie without `Secure` would be sent in
    /// clear.
    static func isPlainLoopback(_ head: HTTPRequest, _ client: HTTPClientInfo) -> Bool {
        !client.isTLS && !client.isFromTrustedProxy
            && head.authority.map(LoopbackHost.isHost) == true
    }

    private static func unknownCaller(rule: String = "", _ sentence: String) -> ServiceError {
        .refused(.unauthenticated, CallerField.app, rule: rule, sentence)
    }
}
