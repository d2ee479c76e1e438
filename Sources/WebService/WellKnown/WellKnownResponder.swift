import HTTPTypes
import JSON
import NIOCore
import RPC
import ServiceRuntime

/// Answers `GET /.well-known/…`: keys and metadata for verifiers of access tokens, what browsers
/// look for about passkeys, and the operator's files. Anyone may read them, from any origin.
struct WellKnownResponder: Sendable {
    /// How long a response may be reused. A verifier that follows the JWKS URL learns of a revoked
    /// key after this time.
    private static let maxAge = "public, max-age=60"
    /// What the paths begin with.
    static let path = "/.well-known/"

    let keySets: KeySetCache
    let files: WellKnownFiles
    /// The URL, or the path here, of the page where users change their password; nil for none.
    let changePasswordURL: String?
    /// What is served about passkeys.
    let options: CurrentAppOptions
    /// Whether this service has the page where people manage them.
    let hasPages: Bool
    /// The origins at which clients reach this service; empty on this machine alone.
    let origins: [String]

    /// Answers a request whose path begins with `path`.
    /// - Throws: `HTTPFailure`, 503 when the gateway does not answer.
    func respond(to exchange: HTTPExchange, _ path: Substring) async throws {
        try exchange.requireReading()
        do {
            try await respond(to: exchange, name: String(path.dropFirst(Self.path.count)))
        } catch let error as ServiceError {
            throw HTTPFailure(.serviceUnavailable, error.code.rawValue)
        }
    }

    private func respond(to exchange: HTTPExchange, name: String) async throws {
        switch name {
        case "jwks.json":
            try await respondWithKeys(exchange)
        case "openid-configuration", "oauth-authorization-server":
            respond(
                to: exchange,
                with: ServerMetadata.document(
                    issuer: try await keySets.current().issuer, origin: origin(of: exchange)))
        case PasskeyDocuments.webauthn:
            guard let document = PasskeyDocuments.related(await options.current()) else {
                throw Self.notFound
            }
            respond(to: exchange, with: document)
        case PasskeyDocuments.endpoints:
            guard hasPages,
                let document = PasskeyDocuments.management(
                    await options.current(), at: origin(of: exchange))
            else { throw Self.notFound }
            respond(to: exchange, with: document)
        case "change-password":
            guard let changePasswordURL else { throw Self.notFound }
            exchange.respond(
                HTTPResponse(status: .found, headerFields: [.location: changePasswordURL]))
        default:
            guard let bytes = files.contents[name], let type = WellKnownFiles.mediaTypes[name]
            else { throw Self.notFound }
            exchange.respond(head(type), ByteBuffer(bytes: bytes))
        }
    }

    private func respond(to exchange: HTTPExchange, with document: JSONObject) {
        exchange.respond(
            head("application/json"), ByteBuffer(string: JSONWriter.text(document)))
    }

    private func origin(of exchange: HTTPExchange) -> String {
        Self.origin(
            exchange.head.authority ?? "", isTLS: exchange.client.isTLS, among: origins)
    }

    /// The origin of the URLs in the metadata: the one that the client called, as the settings
    /// write it; behind a proxy that ends TLS only they know the scheme. Attack: a request for
    /// `auth.example.org:443` has a cache keep URLs with `http`, from which others fetch keys. So
    /// an authority in another form gets the first of the settings.
    static func origin(_ authority: String, isTLS: Bool, among origins: [String]) -> String {
        origins.first { $0.hasSuffix("://" + authority.lowercased()) } ?? origins.first
            ?? "\(isTLS ? "https" : "http")://\(authority)"
    }

    private static let notFound = HTTPFailure(.notFound, "there is no such document")

    private func respondWithKeys(_ exchange: HTTPExchange) async throws {
        let keySet = try await keySets.current()
        exchange.respond(
            ByteBuffer(string: keySet.jwks), "application/json", tag: keySet.entityTag,
            Self.fields)
    }

    private static let fields: HTTPFields = [
        .cacheControl: maxAge, .accessControlAllowOrigin: "*",
    ]

    private func head(_ mediaType: String) -> HTTPResponse {
        var head = HTTPResponse(status: .ok, headerFields: Self.fields)
        head.headerFields[.contentType] = mediaType
        return head
    }
}
