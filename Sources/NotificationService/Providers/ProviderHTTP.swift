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

    /// Access to the providers. A request takes no longer than `timeout`.
    init(
        client: OutboundClient, trustFile: String?, timeout: Duration, time: any Time
    ) {
        precondition(timeout * 2 < Delivery.lease, "an attempt must end before its lease")
        self.client = client
        self.time = time
        terms = HTTPTerms(
            // The operator sets these URLs, so they are trusted: a relay for text messages often
            // has a private or loopback address.
            addresses: .any, trustFile: trustFile, timeout: timeout,
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
