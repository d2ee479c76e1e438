import Messages
import RPC
import ServiceRuntime
import Testing

/// One kind of call, as the fault tests make it: every kind meets every fault.
struct CallKind: Sendable, CustomTestStringConvertible {
    let name: String
    /// Makes the call; returns whether the answer was the right one.
    let call: @Sendable (RPCClient, CallContext, String) async throws -> Bool

    var testDescription: String { name }

    /// Another kind of call gets its line here.
    static let all = [
        unary("unary on the loop", EchoService.onLoop),
        unary("unary async", EchoService.async),
        unary("unary that may be repeated, and waits", EchoService.repeatable),
        unary("unary that waits", EchoService.gated),
    ]

    private static func unary(_ name: String, _ method: MethodDescription) -> CallKind {
        CallKind(name: name) { client, context, text in
            let answer: EchoService.Response = try await client.call(
                method, EchoService.Request(accessToken: text), context)
            return answer.sessionId == text
        }
    }
}
