import Cryptography
import JSON
import Outbound

/// Interprets the responses of Apple and Google about codes and grants. Log fields use a fixed set
/// of error codes; a provider's own text is not logged. Pure:
///
///     response                                    a code                a grant to revoke
///     200, complete                               granted               done
///     200, without a refresh token                no token              done
///     200, otherwise incomplete                   refused: it is used   done
///     400 invalid_grant                           refused               refused: no such grant
///     400 invalid_token                           refused               refused: no such grant
///     400 invalid_request, invalid_scope,
///         unsupported_grant_type                  refused               refused
///     400 or 401 invalid_client,
///         unauthorized_client                     retry: our error      retry
///     400 redirect_uri_mismatch                   retry: our error      retry
///     any other, or none                          retry                 retry
///
/// *No token*: Google gives a refresh token with a consent only, and only to apps that ask for one
/// (`access_type=offline`). The access token that comes with it is not read.
///
/// Source: RFC 6749, 5.2; Apple, "Token validation", "Revoke tokens", "ErrorResponse"; Google,
/// "Using OAuth 2.0 for Web Server Applications"
enum GrantAnswer {
    /// The result of exchanging a code.
    enum Exchange: Sendable {
        case granted(Grant)
        /// The code is used, and the provider gave no refresh token for it.
        case withoutToken
        /// Final: this code will never be accepted.
        case refused(String)
        case later(String)
    }

    /// The result of a revocation.
    enum Revocation: Hashable, Sendable {
        case done
        /// Final: the provider has no such grant.
        case refused(String)
        case later(String)
    }

    private static let finalWords: Set<String> = [
        "invalid_grant", "invalid_token", "invalid_request", "invalid_scope",
        "unsupported_grant_type",
    ]
    private static let ourWords: Set<String> = [
        "invalid_client", "unauthorized_client", "redirect_uri_mismatch",
    ]

    static func exchange(_ outcome: HTTPOutcome, client: String) -> Exchange {
        switch outcome {
        case .failed(let failure): return .later(failure.rawValue)
        case .answered(let response):
            let object = JSONReader.object(in: response.body)
            if response.status == 200 { return granted(object, client: client) }
            let word = word(object, response.status)
            return isFinal(word, response.status) ? .refused(word) : .later(word)
        }
    }

    /// Reads a response of the token endpoint. Its ID token came directly from the provider over
    /// TLS, so its signature need not be verified (OpenID Connect Core 3.1.3.7, 6).
    private static func granted(_ answer: JSONObject?, client: String) -> Exchange {
        // A response that is incomplete, or was issued to another app.
        guard let answer, let subject = subject(in: answer, client: client) else {
            return .refused("not-whole")
        }
        guard let token = answer["refresh_token"] else { return .withoutToken }
        guard let text = token.string, !text.isEmpty else { return .refused("not-whole") }
        return .granted(Grant(subject: subject, refreshToken: SecretBytes(copying: text.utf8)))
    }

    private static func subject(in answer: JSONObject, client: String) -> String? {
        guard
            let parts = answer["id_token"]?.string?.utf8.split(
                separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false),
            parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let claims = JSONReader.object(in: payload), claims["aud"] == .string(client),
            let subject = claims["sub"]?.string, !subject.isEmpty
        else { return nil }
        return subject
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

extension GrantAnswer {
    /// The response to a code: the person's subject, and the token that revokes the grant.
    struct Grant: Sendable {
        /// The provider's identifier of the person.
        let subject: String
        let refreshToken: SecretBytes
    }
}
