import Cryptography
import JSON
import Outbound
import ServiceRuntime
import Synchronization

/// Caches the provider token that authenticates us to Apple. It is renewed every forty minutes:
/// Apple rejects tokens older than an hour, and tokens that are renewed more often than every
/// twenty minutes. Source: "Establishing a token-based connection to APNs"
final class APNsToken: Sendable {
    private static let renewedEvery: Duration = .seconds(40 * 60)

    private let key: SigningKey
    private let keyID: String
    private let team: String
    private let time: any Time
    private let held = Mutex<(header: HTTPHeader, at: Duration)?>(nil)

    init(key: SigningKey, keyID: String, team: String, time: any Time) {
        self.key = key
        self.keyID = keyID
        self.team = team
        self.time = time
    }

    /// The header `authorization: bearer …`.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    func header() throws -> HTTPHeader? {
        let uptime = time.uptime()
        let current = held.withLock { held in
            held.flatMap { uptime - $0.at < Self.renewedEvery ? $0.header : nil }
        }
        if let current { return current }
        let text = try ProviderJWT.text(
            header: ["alg": .string("ES256"), "kid": .string(keyID)],
            claims: ["iss": .string(team), "iat": .integer(time.now().seconds)],
            sign: key.sign)
        let header = HTTPHeader(
            "authorization", lead: "bearer ", secret: SecretBytes(copying: text.utf8))
        if let header { held.withLock { $0 = (header, uptime) } }
        return header
    }

    /// Apple has rejected the current token as expired: a clock is wrong, perhaps Apple's.
    func drop() { held.withLock { $0 = nil } }
}
