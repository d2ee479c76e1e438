import Cryptography
import JSON
import Outbound
import ServiceRuntime
import Synchronization

/// Sends push messages to Apple's devices over HTTP/2: one connection, with a stream for each
/// message. Source: "Sending notification requests to APNs", "Handling notification responses from
/// APNs"
struct APNs: PushProvider {
    /// Errors in our key, our app or our request, which an operator can fix before the message
    /// expires. Every other known reason with status 400 concerns the message itself.
    private static let ourReasons: Set<String> = [
        "BadCertificate", "BadCertificateEnvironment", "BadPath", "BadTopic", "DuplicateHeaders",
        "IdleTimeout", "MethodNotAllowed", "MissingTopic", "TopicDisallowed",
    ]
    /// Apple's reason codes that may be part of ours.
    private static let knownReasons: Set<String> = ourReasons.union([
        "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority",
        "DeviceTokenNotForTopic", "ExpiredProviderToken", "ExpiredToken", "Forbidden",
        "InternalServerError", "InvalidProviderToken", "InvalidPushType", "MissingDeviceToken",
        "MissingProviderToken", "PayloadEmpty", "PayloadTooLarge", "ServiceUnavailable", "Shutdown",
        "TooManyProviderTokenUpdates", "TooManyRequests", "UnrelatedKeyIdInToken", "Unregistered",
    ])

    let base: HTTPURL
    let token: APNsToken
    let http: ProviderHTTP
    let providerGuard: ProviderGuard

    func send(_ push: OutgoingPush) async -> ProviderAnswer {
        let headers: [HTTPHeader]
        do {
            guard let made = try self.headers(push) else {
                return .failed("apns-invalid", retryAfter: nil)
            }
            headers = made
        } catch {
            return .failed("apns-signature", retryAfter: nil)
        }
        guard let url = base.at("/3/device/\(push.token)") else {
            return .failed("apns-invalid", retryAfter: nil)
        }
        let (now, sentAt) = (http.time.now(), http.time.uptime())
        switch await http.post(url, headers, Self.payload(push)) {
        case .failed(let failure): return ProviderAnswer("apns", failure)
        case .answered(let response):
            if response.status == 403 { token.drop(sentAt: sentAt) }
            return Self.answer(response, at: now)
        }
    }

    /// The message as JSON.
    /// Source: "Generating a remote notification", Apple's UserNotifications
    static func payload(_ push: OutgoingPush) -> [UInt8] {
        var payload: JSONObject = [
            "aps": .object([
                "alert": .object(push.shownJSON), "sound": .string("default"),
            ])
        ]
        for member in push.dataJSON.members { _ = payload.add(member.name, member.value) }
        return Array(JSONWriter.text(payload).utf8)
    }

    /// The meaning of Apple's answer. Our reason contains only known codes, never arbitrary text.
    static func answer(_ response: HTTPResponse, at now: Timestamp) -> ProviderAnswer {
        if response.status == 200 { return .taken }
        let object = ProviderHTTP.object(in: response)
        let word = object?["reason"]?.string ?? ""
        let reason = "apns-\(knownReasons.contains(word) ? word : "\(response.status)")"
        switch (response.status, word) {
        case (410, _):
            return .addressIsDead(
                reason,
                since: object?["timestamp"]?.integer.map { Timestamp(milliseconds: $0) })
        case (400, "BadDeviceToken"): return .addressIsDead(reason, since: nil)
        case (400, _) where !ourReasons.contains(word) && knownReasons.contains(word),
            (413, _):
            return .refused(reason)
        // 403 concerns the key that signs for all messages.
        case (403, _): return .failed(reason, retryAfter: response.retryAfter(at: now))
        default: return ProviderAnswer(unlisted: reason, response, at: now)
        }
    }

    private func headers(_ push: OutgoingPush) throws -> [HTTPHeader]? {
        let fields = [
            ("apns-topic", push.app), ("apns-id", Self.identifier(of: push.id)),
            ("apns-push-type", "alert"), ("apns-priority", push.isUrgent ? "10" : "5"),
            ("apns-expiration", push.expiresAt.map { "\(max(1, $0.seconds))" } ?? ""),
            ("apns-collapse-id", push.collapseKey),
        ].filter { !$0.1.isEmpty }
        let headers = fields.compactMap { HTTPHeader($0.0, $0.1) }
        guard headers.count == fields.count, let authorization = try token.header() else {
            return nil
        }
        return [.json, authorization] + headers
    }

    /// Apple requires a UUID. This one is derived from the message's id (version 8, RFC 9562), so
    /// it is the same at every attempt.
    static func identifier(of id: MessageID) -> String {
        var bytes = Array(SHA256.hash("postern apns \(id.text)".utf8).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hex.encode(bytes)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

/// Caches the provider token that authenticates us to Apple. It is renewed every forty minutes:
/// Apple rejects tokens older than an hour, and tokens that are renewed more often than every
/// twenty minutes. Source: "Establishing a token-based connection to APNs"
final class APNsToken: Sendable {
    private static let renewedEvery: Duration = .seconds(40 * 60)

    private let key: SigningKey
    private let keyID: String
    private let team: String
    private let time: any Time
    private let cached = Mutex<(header: HTTPHeader, at: Duration)?>(nil)

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
        let current = cached.withLock { cached in
            cached.flatMap { uptime - $0.at < Self.renewedEvery ? $0.header : nil }
        }
        if let current { return current }
        let text = try ProviderHTTP.token(
            header: ["alg": .string("ES256"), "kid": .string(keyID)],
            claims: ["iss": .string(team), "iat": .integer(time.now().seconds)],
            sign: key.sign)
        let header = HTTPHeader(
            "authorization", lead: "bearer ", secret: SecretBytes(copying: text.utf8))
        if let header { cached.withLock { $0 = (header, uptime) } }
        return header
    }

    /// Apple has rejected the token of a message that was sent at `uptime`: a clock is wrong,
    /// perhaps Apple's. A newer token stays: many messages can be rejected with the same one, and
    /// Apple refuses tokens that are renewed too often.
    func drop(sentAt uptime: Duration) {
        cached.withLock { if let token = $0, token.at <= uptime { $0 = nil } }
    }
}
