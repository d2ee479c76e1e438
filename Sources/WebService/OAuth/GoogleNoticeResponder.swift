import Contracts
import Cryptography
import HTTPTypes
import JSON
import NIOCore
import ServiceRuntime

/// Answers `POST /google/notifications`: hands the events of Google's Cross-Account Protection on to
/// the gateway, so that an operator registers this URL at Google and builds nothing. The body is a
/// security event token that Google signed (RFC 8417), pushed as RFC 8935 says.
struct GoogleNoticeResponder: Sendable {
    private let post: ProviderNoticePost

    init(notices: any ProviderNoticesAPI, time: any Time) {
        post = ProviderNoticePost(provider: .google, notices: notices, time: time)
    }

    /// Answers 202 when the event has been processed, and 400 for a body that is no token: Google
    /// does not send either again. Otherwise 503, so that it does.
    /// - Throws: `HTTPFailure`, `CancellationError`.
    func respond(to exchange: HTTPExchange) async throws {
        let body = try await post.body(of: exchange)
        guard let token = Self.token(body.readableBytesView) else {
            return exchange.respond(Self.refusal, ByteBuffer(string: Self.refusalText))
        }
        try await post.handOn(token)
        exchange.respond(HTTPResponse(status: .accepted))
    }

    /// The body, if it has the form of a signed token (RFC 7515, 3.1): three parts in base64url, of
    /// which the first two are JSON objects.
    static func token(_ body: some Collection<UInt8>) -> String? {
        let parts = body.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, Base64URL.decode(parts[2]) != nil,
            parts[..<2].allSatisfy({ part in
                Base64URL.decode(part).map { JSONReader.object(in: $0) != nil } ?? false
            })
        else { return nil }
        return String(decoding: body, as: UTF8.self)
    }

    /// RFC 8935, 2.4.
    private static let refusalText = JSONWriter.text([
        "err": .string("invalid_request"),
        "description": .string("the body must be a security event token"),
    ])

    private static var refusal: HTTPResponse {
        HTTPResponse(status: .badRequest, headerFields: [.contentType: "application/json"])
    }
}
