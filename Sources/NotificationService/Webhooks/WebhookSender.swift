import Outbound
import ServiceRuntime

/// Posts one event to one receiver.
struct WebhookSender: Sendable {
    /// The most that is read of an answer, in bytes. Its content is ignored.
    private static let answerBytesMax = 16 * 1_024

    let client: OutboundClient
    let targets: WebhookTargets
    let timeout: Duration
    let trustFile: String?
    let time: any Time

    /// Makes one attempt.
    func send(_ delivery: WebhookDelivery, to webhook: Webhook) async -> WebhookTry.Outcome {
        let request = WebhookRequest(delivery.event, to: webhook, at: time.now())
        guard let url = targets.url(webhook.url), let headers = request.headers else {
            return .failed("the URL is no longer allowed", retryAfter: nil)
        }
        let outcome = await client.fetch(
            HTTPRequest(.post(request.body), url, headers: headers),
            HTTPTerms(
                addresses: targets.addresses, trustFile: trustFile, timeout: timeout,
                bodyBytesMax: Self.answerBytesMax, redirectsMax: 0))
        switch outcome {
        case .answered(let answer) where answer.isSuccess: return .taken
        case .answered(let answer) where answer.status == 410: return .gone
        case .answered(let answer):
            return .failed(
                "it answered \(answer.status)", retryAfter: answer.retryAfter(at: time.now()))
        // An answer that is too long counts as a failure too.
        case .failed(let failure): return .failed("\(failure)", retryAfter: nil)
        }
    }
}

/// The addresses to which webhooks may go. By default not into the operator's own network: a URL is
/// typed by anybody who may use the tool, and the machine that connects can reach more than they
/// can (SSRF).
package enum WebhookTargets: String, CaseIterable, Sendable {
    /// `https` to public addresses.
    case `public`
    /// Also `http`, and every address: for receivers on this machine or in a private network.
    case any

    /// The URL, if it is allowed.
    func url(_ text: String) -> HTTPURL? { HTTPURL(text, allowsPlain: self == .any) }

    /// The addresses to which its host name may resolve.
    var addresses: AddressPolicy { self == .any ? .any : .publicOnly }
}
