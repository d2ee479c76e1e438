import Messages
import RPC
import ServiceRuntime

/// Handlers of each kind of stream.
extension EchoService {
    var streams: [MethodHandler] {
        [
            .serverStream(Self.count, Self.counting),
            .serverStream(Self.watch, oneThenGate), .serverStream(Self.held, oneThenGate),
            .clientStream(Self.collect, collecting),
            .clientStream(Self.gather, Self.gathering),
            .clientStream(Self.first) { (items: IncomingItems<Request>, _) in
                for try await item in items { return Response(sessionId: item.accessToken) }
                return Response(sessionId: "none")
            },
            .bidirectional(Self.chat) {
                (items: IncomingItems<Request>, answers: OutgoingItems<Response>, _) in
                for try await item in items {
                    try await answers.write(Response(sessionId: item.accessToken))
                }
            },
        ]
    }

    /// As many items as the request's text says. A "!" at its end requests an error after them.
    private static func counting(
        _ request: Request, _ items: OutgoingItems<Response>, _ context: CallContext
    ) async throws {
        let count = Int(request.accessToken.prefix { $0 != "!" }) ?? 0
        for number in 0..<count { try await items.write(Response(sessionId: "\(number)")) }
        if request.accessToken.hasSuffix("!") {
            throw ServiceError(.tooManyRequests, retryAfter: .milliseconds(700))
        }
    }

    /// Sends one item, waits at the gate, then sends another.
    private func oneThenGate(
        _ request: Request, _ items: OutgoingItems<Response>, _ context: CallContext
    ) async throws {
        try await items.write(Response(sessionId: "before"))
        try await gate.pass()
        try await items.write(Response(sessionId: "after"))
    }

    /// Reads no items until the gate is open, then does as `gathering`.
    private func collecting(
        _ items: IncomingItems<Request>, _ context: CallContext
    ) async throws -> Response {
        try await gate.pass()
        return try await Self.gathering(items, context)
    }

    /// Answers with the number of items and the last one.
    private static func gathering(
        _ items: IncomingItems<Request>, _ context: CallContext
    ) async throws -> Response {
        var count = 0
        var last = ""
        for try await item in items {
            count += 1
            last = item.accessToken
        }
        return Response(sessionId: "\(count) \(last)")
    }
}
