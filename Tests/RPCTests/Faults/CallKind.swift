import Messages
import RPC
import ServiceRuntime
import Testing

/// One kind of call in the fault tests: every kind runs under every fault.
struct CallKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether only its deadline ends it, since its handler waits forever.
    var waits = false
    /// Makes the call. Returns whether the answer was right.
    let call: @Sendable (RPCClient, CallContext, String) async throws -> Bool

    var testDescription: String { name }

    /// Add another kind of call here or among the streams.
    static let all =
        [
            unary("unary on the loop", EchoService.onLoop),
            unary("unary async", EchoService.async),
            unary("unary that may be repeated, and waits", EchoService.repeatable, waits: true),
            unary("unary that waits", EchoService.gated, waits: true),
        ] + streams

    private static func unary(
        _ name: String, _ method: MethodDescription, waits: Bool = false
    ) -> CallKind {
        CallKind(name: name, waits: waits) { client, context, text in
            let answer: EchoService.Response = try await client.call(
                method, EchoService.Request(accessToken: text), context)
            return answer.sessionId == text
        }
    }
}
