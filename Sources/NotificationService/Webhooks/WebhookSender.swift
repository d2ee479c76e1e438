import Outbound
import ServiceRuntime

/// Posts one event to one receiver.
struct WebhookSender: Sendable {
    /// An answer's content is of no interest; so much may come before it is cut off.
    private static let answerBytesMax = 16 * 1_024

    let client: OutboundClient
    let targets: WebhookTargets
    let timeout: Duration
    let trustFile: String?
    let time: any Time

    /// One try.
    func send(_ delivery: WebhookDelivery, to webhook: Webhook) async -> WebhookTry.Outcome {
        let request = WebhookRequest(delivery.event, to: webhook, at: time.now())
        guard let url = targets.url(webhook.url), let headers = request.headers else {
            return .failed("the URL is not allowed any more", retryAfter: nil)
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
        // Taken all the same: who answers at such length has answered.
        case .failed(let failure): return .failed("\(failure)", retryAfter: nil)
        }
    }
}

/// Where webhooks may lead. By default not into the operator's own network: a URL is typed by
/// whoever may use the tool, and the machine that dials it sees more than they do (SSRF).
package enum WebhookTargets: String, CaseIterable, Sendable {
    /// `https` to public addresses.
    case `public`
    /// `http` too, and every address: for receivers on this machine or a private network.
    case any

    /// The URL, where it may be one.
    func url(_ text: String) -> HTTPURL? { HTTPURL(text, allowsPlain: self == .any) }

    /// The addresses that its name may lead to.
    var addresses: AddressPolicy { self == .any ? .any : .publicOnly }
}
