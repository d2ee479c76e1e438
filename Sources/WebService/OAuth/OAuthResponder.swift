import Contracts
import Cryptography
import HTTPTypes
import JSON
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// Answers `POST /oauth2/introspect` (RFC 7662) and `POST /oauth2/revoke` (RFC 7009), for libraries
/// that know these endpoints and not our calls.
struct OAuthResponder: Sendable {
    /// The endpoints, by the last part of their path. Each is one call to the gateway.
    enum Endpoint: String, CaseIterable, Sendable {
        case introspect
        case revoke

        /// The gateway's method, which the JWT of a backend must name.
        var method: String {
            switch self {
            case .introspect: "postern.gateway.v1.Verification/IntrospectToken"
            case .revoke: "postern.gateway.v1.Auth/SignOut"
            }
        }
    }

    /// Size limit of a request, in bytes: two tokens of 8 KiB.
    private static let bodyBytesMax = 16 * 1024
    private static let timeout = Duration.seconds(10)
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let verification: any VerificationAPI
    let auth: any AuthAPI
    let methods: CallMethods
    let callers: CallerCheck
    let time: any Time

    /// Answers a request to an endpoint. Errors are those of RFC 6749 §5.2.
    /// - Throws: `HTTPFailure`, `CancellationError`.
    func respond(to exchange: HTTPExchange, _ endpoint: Endpoint) async throws {
        guard exchange.head.method == .post else {
            throw HTTPFailure(allowing: "POST")
        }
        let body = try await exchange.body(bytesMax: Self.bodyBytesMax)
        var fields = callers.responseFields(of: exchange.head)
        do {
            let parameters = try Self.parameters(exchange.head, body)
            let head = try Self.identified(exchange.head, parameters)
            let caller = try caller(head, exchange.client, endpoint)
            // Attack: the token of a call with another body, captured on its way, is used here. A
            // token in the body cannot name its hash.
            try caller.check(body: body.readableBytesView)
            let token = try parameters.required("token")
            let result =
                switch endpoint {
                case .introspect: try await introspect(token, caller)
                case .revoke: try await revoke(token, caller)
                }
            respond(exchange, .ok, fields, result)
        } catch let error as OAuthError {
            respond(exchange, error.status, fields, error.document)
        } catch let error as ServiceError {
            let error = OAuthError(error)
            if let seconds = error.retryAfterSeconds { fields[.retryAfter] = "\(seconds)" }
            respond(exchange, error.status, fields, error.document)
        }
    }

    private func respond(
        _ exchange: HTTPExchange, _ status: HTTPResponse.Status, _ fields: HTTPFields,
        _ document: JSONObject
    ) {
        var head = HTTPResponse(status: status, headerFields: fields)
        head.headerFields[.contentType] = "application/json"
        if status == .unauthorized { head.headerFields[.wwwAuthenticate] = "Bearer" }
        // The response depends on a token.
        head.headerFields[.cacheControl] = "no-store"
        exchange.respond(head, ByteBuffer(string: JSONWriter.text(document)))
    }

    // MARK: The calls

    /// The token's claims when it is valid now. Any other token, refresh tokens included, is
    /// `{"active": false}`.
    private func introspect(_ token: String, _ caller: WebCaller) async throws -> JSONObject {
        let answer = try await verification.introspectToken(
            GatewayV1.IntrospectTokenRequest(accessToken: token), context(caller))
        guard answer.active, var claims = TokenPayload.claims(of: token) else {
            return ["active": .boolean(false)]
        }
        _ = claims.add("active", .boolean(true))
        _ = claims.add("token_type", .string("Bearer"))
        return claims
    }

    /// Ends the session of a refresh token or of an access token, which may have expired. A token
    /// that is unknown or whose session has ended is no error (RFC 7009 §2.2).
    private func revoke(_ token: String, _ caller: WebCaller) async throws -> JSONObject {
        var request = GatewayV1.SignOutRequest()
        var context = context(caller)
        if TokenPayload.claims(of: token) == nil {
            request.refreshToken = token
        } else {
            context = context.bearing(token)
        }
        do {
            _ = try await auth.signOut(request, context)
        } catch let error as ServiceError where Self.hasEnded(error.code) {
            // Nothing is left to revoke.
        }
        return [:]
    }

    private static func hasEnded(_ code: ErrorCode) -> Bool {
        switch code {
        case .invalidAccessToken, .invalidRefreshToken, .sessionEnded, .refreshTokenReplayed: true
        default: false
        }
    }

    private func context(_ caller: WebCaller) -> CallContext {
        // No field of the request passes: `authorization` is the client's in OAuth, not a session.
        CallContext(
            deadline: time.uptime() + Self.timeout, metadata: Metadata(of: [:], from: caller))
    }

    // MARK: Requests

    private func caller(
        _ head: HTTPRequest, _ client: HTTPClientInfo, _ endpoint: Endpoint
    ) throws(ServiceError) -> WebCaller {
        guard let method = methods[endpoint.method]?.schema else {
            throw ServiceError(.unknownMethod)
        }
        return try callers.caller(of: head, client, method: method, bindsBody: false)
    }

    private static func parameters(
        _ head: HTTPRequest, _ body: ByteBuffer
    ) throws(OAuthError) -> FormParameters {
        try FormParameters.read(head.headerFields, body)
            .mapError { OAuthError("invalid_request", $0.reason) }.get()
    }

    /// The request with the client's identity in `x-postern-app`, where every call has it: from
    /// `client_assertion` (RFC 7523 §2.2), or from `client_id` for an app, which has no secret.
    private static func identified(
        _ head: HTTPRequest, _ parameters: FormParameters
    ) throws(OAuthError) -> HTTPRequest {
        guard head.headerFields[CallerField.app] == nil else { return head }
        var head = head
        if let assertion = parameters["client_assertion"] {
            guard parameters["client_assertion_type"] == assertionType else {
                throw OAuthError(
                    "invalid_client", "client_assertion_type must be \(assertionType)")
            }
            head.headerFields[CallerField.app] = assertion
        } else {
            head.headerFields[CallerField.app] = parameters["client_id"]
        }
        return head
    }
}

extension FormParameters {
    fileprivate func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else {
            throw OAuthError("invalid_request", "the parameter \(name) is missing")
        }
        return value
    }
}

/// An error response of RFC 6749 §5.2.
struct OAuthError: Error, Hashable, Sendable {
    /// The field `error`.
    let code: String
    /// The field `error_description`, in English, for a developer.
    let reason: String
    /// How long to wait before the request may succeed.
    let retryAfterSeconds: Int64?
    let status: HTTPResponse.Status

    init(_ code: String, _ reason: String) {
        self.code = code
        self.reason = reason
        retryAfterSeconds = nil
        status = code == "invalid_client" ? .unauthorized : .badRequest
    }

    /// Maps an error of the gateway. `error_description` has its code and each invalid field with the
    /// reason.
    init(_ error: ServiceError) {
        reason = ([error.code.rawValue] + error.violations.map(Self.fault)).joined(separator: ", ")
        retryAfterSeconds = error.retryAfterSeconds
        switch error.status {
        case .unauthenticated: (code, status) = ("invalid_client", .unauthorized)
        case .permissionDenied: (code, status) = ("unauthorized_client", .forbidden)
        case .unavailable, .deadlineExceeded:
            (code, status) = ("temporarily_unavailable", .serviceUnavailable)
        case .resourceExhausted: (code, status) = ("temporarily_unavailable", .tooManyRequests)
        case .internal, .unknown, .dataLoss: (code, status) = ("server_error", .internalServerError)
        default: (code, status) = ("invalid_request", .badRequest)
        }
    }

    /// A fault in the client's own terms: its parameters become the field `x-postern-app`.
    private static func fault(_ violation: ServiceError.Violation) -> String {
        let isClient = violation.field == CallerField.app.canonicalName
        let field = isClient ? "client_assertion or client_id" : violation.field
        let why = [violation.sentence ?? "", violation.rule].first { !$0.isEmpty }
        return why.map { "\(field): \($0)" } ?? field
    }

    var document: JSONObject {
        ["error": .string(code), "error_description": .string(reason)]
    }
}
