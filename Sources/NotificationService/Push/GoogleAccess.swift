import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// Caches the access token that authenticates us to Google. It is requested with a signed assertion
/// (RFC 7523) and cached until shortly before it expires. Concurrent callers share one request.
/// Source: "Using OAuth 2.0 for server to server applications"
actor GoogleAccess {
    /// The result of a request for a token.
    enum Answer: Sendable {
        case token(HTTPHeader)
        case none(ProviderAnswer)
    }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The lifetime of an assertion: the longest that Google accepts.
    private static let assertionSeconds: Int64 = 3_600
    /// A token is no longer used this long before it expires, because a request with it takes time
    /// too.
    private static let margin: Duration = .seconds(300)
    /// The longest time that a token is cached, whatever the answer says.
    private static let cachedMax: Duration = .seconds(3_600)

    private let account: GoogleAccount
    private let http: ProviderHTTP
    private var cached: (header: HTTPHeader, until: Duration)?
    private var flight = SingleFlight<Answer, Never>()

    init(account: GoogleAccount, http: ProviderHTTP) {
        self.account = account
        self.http = http
    }

    /// The header `authorization: Bearer …`, or why there is none.
    func header() async -> Answer {
        if let cached, http.time.uptime() < cached.until { return .token(cached.header) }
        return await flight.join { await self.fetched() }.value
    }

    /// Google has rejected the token.
    func drop() { cached = nil }

    private func fetched() async -> Answer {
        defer { flight.end() }
        let now = http.time.now()
        let assertion: String
        do {
            assertion = try self.assertion(at: now)
        } catch {
            return .none(.failed("fcm-signature", retryAfter: nil))
        }
        let body = FormBody.encode([
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion),
        ])
        switch await http.post(account.tokenURL, [.form], body) {
        case .failed(let failure):
            return .none(ProviderAnswer(withoutMessage: "fcm-token", failure))
        case .answered(let response): return take(response, at: now)
        }
    }

    private func take(_ response: HTTPResponse, at now: Timestamp) -> Answer {
        let object = ProviderHTTP.object(in: response)
        guard response.isSuccess, let token = object?["access_token"]?.string,
            let seconds = object?["expires_in"]?.integer,
            let header = HTTPHeader(
                "authorization", lead: "Bearer ", secret: SecretBytes(copying: token.utf8))
        else {
            return .none(
                .failed(
                    "fcm-token-\(response.status)", retryAfter: response.retryAfter(at: now)))
        }
        let life = min(.seconds(seconds), Self.cachedMax) - Self.margin
        if life > .zero { cached = (header, http.time.uptime() + life) }
        return .token(header)
    }

    private func assertion(at now: Timestamp) throws -> String {
        try ProviderHTTP.token(
            header: [
                "alg": .string("RS256"), "typ": .string("JWT"), "kid": .string(account.keyID),
            ],
            claims: [
                "iss": .string(account.email), "scope": .string(Self.scope),
                "aud": .string(account.tokenURL.text), "iat": .integer(now.seconds),
                "exp": .integer(now.seconds + Self.assertionSeconds),
            ],
            sign: account.key.sign)
    }
}

/// A Google service account, from the JSON file that Google's console issues.
struct GoogleAccount: Sendable {
    /// Why a file is invalid.
    enum Problem: String, Error {
        /// Not a JSON object, or a member is missing.
        case members = "is not a service account's JSON"
        /// The key is not an RSA key of 2,048 bits or more.
        case key = "has no RSA private key"
        /// The token URL is not an https URL.
        case tokenURL = "has no https token_uri"
    }

    /// The project of its messages.
    let project: String
    /// The account's email address.
    let email: String
    /// The id of its key.
    let keyID: String
    let key: RSASigningKey
    /// The URL for tokens.
    let tokenURL: HTTPURL

    /// Parses the file's text.
    /// - Throws: `Problem`.
    init(json: SecretBytes, allowsPlain: Bool) throws(Problem) {
        let object = json.withBytes { bytes -> JSONObject? in
            var copy = Array(bytes)
            defer { wipe(&copy) }
            return JSONReader.object(in: copy)
        }
        guard let object, let project = object["project_id"]?.string,
            let email = object["client_email"]?.string,
            let keyID = object["private_key_id"]?.string,
            let pem = object["private_key"]?.string, let tokenText = object["token_uri"]?.string
        else { throw .members }
        guard let url = HTTPURL(tokenText, allowsPlain: allowsPlain) else { throw .tokenURL }
        // The cause is not reported, because it could reveal parts of the key.
        guard let key = try? RSASigningKey(pem: SecretBytes(copying: pem.utf8)) else { throw .key }
        self.project = project
        self.email = email
        self.keyID = keyID
        self.key = key
        tokenURL = url
    }
}
