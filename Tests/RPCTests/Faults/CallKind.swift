import Messages
import RPC
import ServiceRuntime
import Testing

/// One kind of call, as the fault tests make it: every kind meets every fault.
struct CallKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether only its deadline ends it: its handler waits for what never comes.
    var waits = false
    /// Makes the call; returns whether the answer was the right one.
    let call: @Sendable (RPCClient, CallContext, String) async throws -> Bool

    var testDescription: String { name }

    /// Another kind of call gets its line here, or among the streams.
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
