import Contracts
import Cryptography
package import HTTPTypes
import RPC
package import ServiceRuntime

/// Who makes a call: an app, or a backend whose token the gateway verifies.
package struct WebCaller: Sendable {
    /// The app; nil for a backend.
    package let app: App?
    /// The backend's token, for the metadata `application-token`; nil for an app. Only the gateway
    /// has verified its signature.
    package let applicationToken: String?
    /// The address of the person or backend, for the metadata `client-address`.
    package let clientAddress: String
    /// The fields of every response to it, also of an error.
    package let responseFields: HTTPFields
    /// Whether it reaches the web service without TLS on this machine, so that cookies cannot be
    /// `Secure`.
    let isPlainLoopback: Bool
    /// The SHA-256 of the body that a backend's token names; nil for an app, and for a stream.
    package let bodyHash: [UInt8]?

    /// Checks that the body is the one for which a backend's token was made, so that a token that
    /// was seen on its way cannot be used for another request.
    /// - Parameter body: The request's body as sent; nothing for a stream; the decoded `message` of
    ///   a GET.
    /// - Throws: `rpc/unauthenticated`.
    package func check(body: some Collection<UInt8>) throws(ServiceError) {
        guard let bodyHash, bodyHash != SHA256.hash(body) else { return }
        throw .refused(
            .unauthenticated, CallerField.app, rule: ApplicationToken.Refusal.body.rawValue,
            "The token's bh is not the base64url of the SHA-256 of the body as sent.")
    }

    /// Whether it is an app that receives its refresh token in a cookie.
    var usesCookie: Bool { app?.refresh == .cookie }
}

/// Fields of requests that are about the caller.
enum CallerField {
    /// An app's key, or the token of a backend.
    static let app = HTTPField.Name.known("x-postern-app")
    /// How the page that calls is related to the web service (W3C Fetch Metadata).
    static let fetchSite = HTTPField.Name.known("sec-fetch-site")
    /// Connect's version, which only scripts can send.
    static let connectProtocolVersion = HTTPField.Name.known("connect-protocol-version")
    /// RFC 7239.
    static let forwarded = HTTPField.Name.known("forwarded")
    /// The older field with the same purpose.
    static let xForwardedFor = HTTPField.Name.known("x-forwarded-for")
}

extension ServiceError {
    /// A refusal that says which field of the request a developer has to correct, and how.
    static func refused(
        _ code: ErrorCode, _ field: HTTPField.Name, rule: String = "", _ sentence: String
    ) -> ServiceError {
        var error = ServiceError(
            code, detail: "\(field.canonicalName): \(sentence)", notProcessed: true)
        error.violations = [
            ServiceError.Violation(field: field.canonicalName, rule: rule, sentence: sentence)
        ]
        return error
    }
}

extension HTTPFields {
    /// The person's user agent, for the metadata `client-agent`; nil without one.
    var clientAgent: String? {
        value(of: .userAgent).map {
            String(decoding: $0.utf8.prefix(Metadata.clientAgentBytesMax), as: UTF8.self)
        }
    }
}

extension Metadata {
    /// The metadata with which the gateway is called: four fields of the request as they are, the
    /// start of its user agent, and who calls. All other fields stay here.
    ///
    /// Attacks: a client that sends `client-address` itself would choose the subject of every limit
    /// by address; one that sends `application-token` would name a backend that was not checked,
    /// one that sends `app` another app, whose limits it would use up, and one that sends
    /// `app-without` fewer ways to sign in; `attempt` is the gateway's client's.
    init(of fields: HTTPFields, from caller: WebCaller) {
        self.init()
        self[Key.idempotencyKey] = fields.value(of: .idempotencyKey)
        self[Key.traceparent] = fields.value(of: .traceparent)
        self[Key.acceptLanguage] = fields.value(of: .acceptLanguage)
        self[Key.authorization] = fields.value(of: .authorization)
        self[Key.clientAddress] = caller.clientAddress
        self[Key.clientAgent] = fields.clientAgent
        self[Key.applicationToken] = caller.applicationToken
        self[Key.app] = caller.app?.name
        self[Key.appWithout] = caller.app?.without.metadataText
    }
}
