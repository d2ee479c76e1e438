import Cryptography
import JSON
import Outbound

/// Interprets Apple's responses about codes and grants. Log fields use a fixed set of error codes;
/// Apple's own text is not logged. Pure:
///
///     response                                    a code                a grant to revoke
///     200, complete                               granted               done
///     200, incomplete                             refused: it is used   done
///     400 invalid_grant                           refused               refused: no such grant
///     400 invalid_request, invalid_scope,
///         unsupported_grant_type                  refused               refused
///     400 or 401 invalid_client,
///         unauthorized_client                     retry: our error      retry
///     any other, or none                          retry                 retry
///
/// Source: RFC 6749, 5.2; Apple, "Token validation", "Revoke tokens", "ErrorResponse"
enum AppleAnswer {
    /// The result of exchanging a code.
    enum Exchange: Sendable {
        case granted(Grant)
        /// Final: this code will never be accepted.
        case refused(String)
        case later(String)
    }

    /// The result of a revocation.
    enum Revocation: Hashable, Sendable {
        case done
        /// Final: Apple has no such grant.
        case refused(String)
        case later(String)
    }

    private static let finalWords: Set<String> = [
        "invalid_grant", "invalid_request", "invalid_scope", "unsupported_grant_type",
    ]
    private static let ourWords: Set<String> = ["invalid_client", "unauthorized_client"]

    static func exchange(_ outcome: HTTPOutcome, client: String) -> Exchange {
        switch outcome {
        case .failed(let failure): return .later(failure.rawValue)
        case .answered(let response):
            let object = JSONReader.object(in: response.body)
            if response.status == 200 {
                let grant = object.flatMap { Grant(answer: $0, client: client) }
                return grant.map(Exchange.granted) ?? .refused("not-whole")
            }
            let word = word(object, response.status)
            return isFinal(word, response.status) ? .refused(word) : .later(word)
        }
    }

    static func revocation(_ outcome: HTTPOutcome) -> Revocation {
        switch outcome {
        case .failed(let failure): return .later(failure.rawValue)
        case .answered(let response):
            if response.status == 200 { return .done }
            let word = word(JSONReader.object(in: response.body), response.status)
            return isFinal(word, response.status) ? .refused(word) : .later(word)
        }
    }

    /// Whether the outcome counts as a success for the circuit breaker. A rejection of the request
    /// does.
    static func isHealthy(_ outcome: HTTPOutcome) -> Bool {
        guard case .answered(let response) = outcome else { return false }
        return response.status < 500 && response.status != 429
    }

    private static func word(_ object: JSONObject?, _ status: Int) -> String {
        let word = object?["error"]?.string ?? ""
        return finalWords.contains(word) || ourWords.contains(word) ? word : "status-\(status)"
    }

    private static func isFinal(_ word: String, _ status: Int) -> Bool {
        status == 400 && finalWords.contains(word)
    }
}

extension AppleAnswer {
    /// Apple's response to a code: the person's subject, and the token that revokes the grant.
    struct Grant: Sendable {
        /// Apple's identifier of the person.
        let subject: String
        let refreshToken: SecretBytes

        /// Reads a response of the token endpoint. Its ID token came directly from Apple over TLS,
        /// so its signature need not be verified (OpenID Connect Core 3.1.3.7, 6).
        /// - Returns: nil if the response is incomplete, or was issued to another app than
        ///   `client`.
        init?(answer: JSONObject, client: String) {
            guard let refreshToken = answer["refresh_token"]?.string, !refreshToken.isEmpty,
                let parts = answer["id_token"]?.string?.utf8.split(
                    separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false),
                parts.count == 3, let payload = Base64URL.decode(parts[1]),
                let claims = JSONReader.object(in: payload), claims["aud"] == .string(client),
                let subject = claims["sub"]?.string, !subject.isEmpty
            else { return nil }
            self.subject = subject
            self.refreshToken = SecretBytes(copying: refreshToken.utf8)
        }
    }
}
