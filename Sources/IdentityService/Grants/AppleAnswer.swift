import Cryptography
import Outbound

/// What Apple's word about a code or a grant means. Words for the log are of a closed set: Apple's
/// own text is not repeated. Pure:
///
///     answer                                      a code                a grant to revoke
///     200, whole                                  exchanged             done
///     200, not whole                              refused: it is used   done
///     400 invalid_grant                           refused               refused: there is none
///     400 invalid_request, invalid_scope,
///         unsupported_grant_type                  refused               refused
///     400 or 401 invalid_client,
///         unauthorized_client                     later: ours to mend   later
///     anything else, or none                      later                 later
///
/// Source: RFC 6749, 5.2; Apple, "Token validation", "Revoke tokens", "ErrorResponse"
enum AppleAnswer {
    /// What comes of a code.
    enum Exchange: Sendable {
        case granted(AppleGrant)
        /// Never, with this code.
        case refused(String)
        case later(String)
    }

    /// What comes of a revocation.
    enum Revocation: Hashable, Sendable {
        case done
        /// Apple knows of no such grant.
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
                let grant = object.flatMap { AppleGrant(answer: $0, client: client) }
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

    /// Whether Apple works, whatever it says.
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

/// What Apple gives for a code: whose it is, and the token that revokes it.
struct AppleGrant: Sendable {
    /// Apple's name for the person.
    let subject: String
    let refreshToken: SecretBytes

    /// Reads an answer of the token endpoint. Its ID token came straight from Apple over TLS, so
    /// that its signature need not be looked at (OpenID Connect Core 3.1.3.7, 6).
    /// - Returns: nil for what is not whole, or was given to another app than `client`.
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
