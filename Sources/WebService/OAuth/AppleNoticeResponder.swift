import Contracts
import HTTPTypes
import JSON
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// Answers `POST /apple/notifications`: hands Apple's server-to-server notifications on to the
/// gateway, so that an operator enters this URL at Apple and builds nothing. The notification is a
/// token that Apple signed; identity verifies it. Anyone may post here, and gets the same answer
/// for a genuine token and a forged one.
struct AppleNoticeResponder: Sendable {
    private static let bodyBytesMax = 64 * 1024
    private static let timeout = Duration.seconds(10)

    let notices: any ProviderNoticesAPI
    let time: any Time

    /// Answers 200 when the notification has been processed. Otherwise 503, so that Apple posts it
    /// again.
    /// - Throws: `HTTPFailure`, `CancellationError`.
    func respond(to exchange: HTTPExchange) async throws {
        guard exchange.head.method == .post else {
            throw HTTPFailure(allowing: "POST")
        }
        let body = try await exchange.body(bytesMax: Self.bodyBytesMax)
        guard
            let payload = JSONReader.object(in: Array(body.readableBytesView))?["payload"]?.string
        else { throw HTTPFailure(.badRequest, "the body must be a JSON object with a payload") }
        do {
            _ = try await notices.receiveProviderNotice(
                GatewayV1.ReceiveProviderNoticeRequest(
                    provider: BuiltInProvider.apple.rawValue, payload: payload),
                // Apple's keys may have to be fetched: that they do not come in time says nothing
                // about the gateway, and must not open its breaker.
                CallContext(deadline: time.uptime() + Self.timeout, isCallersDeadline: true))
        } catch let error as ServiceError {
            throw HTTPFailure(.serviceUnavailable, error.code.rawValue)
        }
        exchange.respond(HTTPResponse(status: .ok))
    }
}
