import Contracts
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// A notice that a provider posts about its accounts. Anyone may post one, and gets the same answer
/// for a genuine notice and a forged one: identity verifies it.
struct ProviderNoticePost: Sendable {
    private static let bodyBytesMax = 64 * 1024
    private static let timeout = Duration.seconds(10)

    let provider: BuiltInProvider
    let notices: any ProviderNoticesAPI
    let time: any Time

    /// The body of a post.
    /// - Throws: `HTTPFailure`, `CancellationError`.
    func body(of exchange: HTTPExchange) async throws -> ByteBuffer {
        guard exchange.head.method == .post else {
            throw HTTPFailure(allowing: "POST")
        }
        return try await exchange.body(bytesMax: Self.bodyBytesMax)
    }

    /// Hands a notice on to the gateway, and returns when it has been processed.
    /// - Throws: `HTTPFailure` 503 if it was not, so that the provider posts it again;
    ///   `CancellationError`.
    func handOn(_ payload: String) async throws {
        do {
            _ = try await notices.receiveProviderNotice(
                GatewayV1.ReceiveProviderNoticeRequest(
                    provider: provider.rawValue, payload: payload),
                // The provider's keys may have to be fetched: that they do not come in time says
                // nothing about the gateway, and must not open its breaker.
                CallContext(deadline: time.uptime() + Self.timeout, isCallersDeadline: true))
        } catch let error as ServiceError {
            throw HTTPFailure(.serviceUnavailable, error.code.rawValue)
        }
    }
}
