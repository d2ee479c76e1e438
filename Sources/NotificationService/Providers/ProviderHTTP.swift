import Cryptography
package import Outbound
package import ServiceRuntime

/// How a provider's web service is spoken to: one client for all, and the operator's terms.
package struct ProviderHTTP: Sendable {
    /// The largest answer that is read, in bytes; theirs have a few hundred.
    private static let answerBytesMax = 64 * 1_024
    /// Google's list of what is wrong with a request is seven deep.
    private static let answerDepthMax = 8

    private let client: OutboundClient
    private let terms: HTTPTerms
    let time: any Time

    /// A way to the providers; a request takes no longer than `timeout`.
    package init(
        client: OutboundClient, trustFile: String?, timeout: Duration, time: any Time
    ) {
        precondition(timeout * 2 < Delivery.lease, "a try must end before its lease")
        self.client = client
        self.time = time
        terms = HTTPTerms(
            // The operator's own word: a relay for text messages is commonly private or loopback.
            addresses: .any, trustFile: trustFile, timeout: timeout,
            bodyBytesMax: Self.answerBytesMax, redirectsMax: 0)
    }

    func post(_ url: HTTPURL, _ headers: [HTTPHeader], _ body: [UInt8]) async -> HTTPOutcome {
        await client.fetch(HTTPRequest(.post(body), url, headers: headers), terms)
    }

    /// The object that an answer holds; nil where it holds none.
    static func object(in response: HTTPResponse) -> JSONObject? {
        JSONReader.object(in: response.body, depthMax: answerDepthMax)
    }
}
