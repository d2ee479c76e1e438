import HTTPTypes
import JSON
import NIOCore
import RPC
import ServiceRuntime

/// Answers `GET /.well-known/…`: keys and metadata for verifiers of access tokens, and the
/// operator's files. Anyone may read them, from any origin.
struct WellKnownResponder: Sendable {
    /// How long a response may be reused. A verifier that follows the JWKS URL learns of a revoked
    /// key after this time.
    private static let maxAge = "public, max-age=60"

    let keySets: KeySetCache
    let files: Reloadable<WellKnownFiles>
    /// The page where users change their password; nil for none.
    let changePasswordURL: String?

    /// Answers a request whose path is `/.well-known/` and `name`.
    /// - Parameter origin: the origin of this service as the client called it.
    /// - Throws: `HTTPFailure`; `ServiceError` when the gateway does not answer.
    func respond(to exchange: HTTPExchange, name: String, origin: String) async throws {
        guard exchange.head.method == .get || exchange.head.method == .head else {
            throw HTTPFailure(.methodNotAllowed, "only GET and HEAD are allowed here")
        }
        switch name {
        case "jwks.json":
            try await respondWithKeys(exchange)
        case "openid-configuration", "oauth-authorization-server":
            let issuer = try await keySets.current().issuer
            let document = ServerMetadata.document(issuer: issuer, origin: origin)
            exchange.respond(
                head("application/json"), ByteBuffer(string: JSONWriter.text(document)))
        case "change-password":
            guard let changePasswordURL else { throw Self.notFound }
            var head = HTTPResponse(status: .found)
            head.headerFields[.location] = changePasswordURL
            exchange.respond(head)
        default:
            guard let bytes = files.value.contents[name], let type = WellKnownFiles.mediaTypes[name]
            else { throw Self.notFound }
            exchange.respond(head(type), ByteBuffer(bytes: bytes))
        }
    }

    private static let notFound = HTTPFailure(.notFound, "there is no such document")

    private func respondWithKeys(_ exchange: HTTPExchange) async throws {
        let keySet = try await keySets.current()
        var head = head("application/json")
        head.headerFields[.eTag] = keySet.entityTag
        guard !Self.matches(exchange.head.headerFields[.ifNoneMatch], keySet.entityTag) else {
            head.status = .notModified
            return exchange.respond(head)
        }
        exchange.respond(head, ByteBuffer(string: keySet.jwks))
    }

    /// Whether `If-None-Match` names the tag (RFC 9110 §13.1.2, weak comparison).
    static func matches(_ field: String?, _ entityTag: String) -> Bool {
        guard let field else { return false }
        return field.split { ",\t ".contains($0) }.contains { tag in
            tag == "*" || tag == entityTag || tag == "W/" + entityTag
        }
    }

    private func head(_ mediaType: String) -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            headerFields: [
                .contentType: mediaType, .cacheControl: Self.maxAge,
                .accessControlAllowOrigin: "*", .xContentTypeOptions: "nosniff",
            ])
    }
}
