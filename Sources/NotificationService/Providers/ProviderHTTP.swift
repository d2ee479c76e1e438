import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// HTTP access to providers: one client for all, with the operator's settings.
struct ProviderHTTP: Sendable {
    /// The largest answer that is read, in bytes. Providers' answers have a few hundred.
    private static let answerBytesMax = 64 * 1_024
    /// Google's error details are nested seven levels deep.
    private static let answerDepthMax = 8

    private let client: OutboundClient
    private let terms: HTTPTerms
    let time: any Time

    /// Access to the providers. A request takes no longer than the settings' timeout.
    init(client: OutboundClient, settings: ProviderSettings, time: any Time) {
        precondition(
            settings.timeout * 2 < Delivery.lease, "an attempt must end before its lease")
        self.client = client
        self.time = time
        terms = HTTPTerms(
            // The operator sets these URLs, so they are trusted: a relay for text messages often
            // has a private or loopback address.
            addresses: .any, trustFile: settings.trustFile, timeout: settings.timeout,
            bodyBytesMax: Self.answerBytesMax, redirectsMax: 0)
    }

    func post(_ url: HTTPURL, _ headers: [HTTPHeader], _ body: [UInt8]) async -> HTTPOutcome {
        await client.fetch(HTTPRequest(.post(body), url, headers: headers), terms)
    }

    /// The JSON object in an answer; nil if there is none.
    static func object(in response: HTTPResponse) -> JSONObject? {
        JSONReader.object(in: response.body, depthMax: answerDepthMax)
    }

    /// A token that authenticates us to Google or Apple (JWS, RFC 7515, compact form).
    /// - Throws: what `sign` throws.
    static func token(
        header: JSONObject, claims: JSONObject, sign: (String.UTF8View) throws -> [UInt8]
    ) rethrows -> String {
        let message =
            Base64URL.encode(JSONWriter.text(header).utf8) + "."
            + Base64URL.encode(JSONWriter.text(claims).utf8)
        return message + "." + Base64URL.encode(try sign(message.utf8))
    }
}

/// Settings that all HTTP providers share.
struct ProviderSettings: Sendable {
    /// Whether `http` URLs are allowed.
    var allowsPlain = false
    /// CA certificates to trust instead of the system's.
    var trustFile: String?
    /// The time limit of one request.
    var timeout: Duration = .seconds(10)

    init(_ settings: inout SettingsReader) {
        settings.boolean(
            "provider-plaintext", &allowsPlain,
            reason: "Allows http URLs of providers: for a relay on this machine, and for tests.")
        trustFile = settings.optionalPath(
            "provider-trust-file", reason: "PEM authorities to trust instead of the system's.")
        settings.duration(
            "provider-timeout", &timeout, in: .milliseconds(100)...(.seconds(60)),
            reason: "The time limit of a request to a provider of text or push messages.")
    }

    /// The URL of a setting that has a default.
    func url(
        _ settings: inout SettingsReader, _ name: String, default standard: String, reason: String
    ) -> HTTPURL? {
        var text = standard
        settings.string(name, &text, unit: "URL", reason: reason)
        return checked(&settings, name, text)
    }

    /// The URL of an optional setting.
    func url(_ settings: inout SettingsReader, _ name: String, reason: String) -> HTTPURL? {
        let text = settings.optionalString(name, unit: "URL", reason: reason)
        return text.flatMap { checked(&settings, name, $0) }
    }

    private func checked(
        _ settings: inout SettingsReader, _ name: String, _ text: String
    ) -> HTTPURL? {
        let url = HTTPURL(text, allowsPlain: allowsPlain)
        settings.require(
            url != nil, [name], "\(name) must be an https URL without user, password and fragment")
        return url
    }
}

extension SettingSecret {
    /// A copy that outlives the settings.
    var secretBytes: SecretBytes { withBytes { SecretBytes(copying: $0) } }
}
