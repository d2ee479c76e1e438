import Contracts
import HTTPTypes
import JSON
import NIOCore
import ServiceRuntime

/// Answers `POST /apple/notifications`: hands Apple's server-to-server notifications on to the
/// gateway, so that an operator enters this URL at Apple and builds nothing. The notification is a
/// token that Apple signed.
struct AppleNoticeResponder: Sendable {
    private let post: ProviderNoticePost

    init(notices: any ProviderNoticesAPI, time: any Time) {
        post = ProviderNoticePost(provider: .apple, notices: notices, time: time)
    }

    /// Answers 200 when the notification has been processed. Otherwise 503, so that Apple posts it
    /// again.
    /// - Throws: `HTTPFailure`, `CancellationError`.
    func respond(to exchange: HTTPExchange) async throws {
        let body = try await post.body(of: exchange)
        guard
            let payload = JSONReader.object(in: Array(body.readableBytesView))?["payload"]?.string
        else { throw HTTPFailure(.badRequest, "the body must be a JSON object with a payload") }
        try await post.handOn(payload)
        exchange.respond(HTTPResponse(status: .ok))
    }
}
