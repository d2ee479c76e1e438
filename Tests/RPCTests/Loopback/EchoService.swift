import Messages
import RPC
import ServiceRuntime

/// A hand-written service with every kind of handler.
struct EchoService: Sendable {
    typealias Request = SessionV1.ValidateAccessTokenRequest
    typealias Response = SessionV1.ValidateAccessTokenResponse

    static let onLoop = method("OnLoop", isOnLoop: true)
    static let encoded = method("Encoded", isOnLoop: true)
    static let async = method("Async")
    static let gated = method("Gated")
    static let stubborn = method("Stubborn")
    static let repeatable = method("Repeatable", isIdempotent: true)
    static let fails = method("Fails")
    static let failsOnLoop = method("FailsOnLoop", isOnLoop: true)
    static let limited = method("Limited")
    static let long = method("Long", isOnLoop: true)
    static let longAsync = method("LongAsync")
    static let caller = method("Caller", isOnLoop: true)
    static let count = method("Count", streams: .response)
    static let watch = method("WatchGated", streams: .response)
    static let held = method("Held", streams: .response)
    static let collect = method("Collect", streams: .request)
    static let gather = method("Gather", streams: .request)
    static let first = method("First", streams: .request)
    static let chat = method("Chat", streams: .both)
    static let costly = method("Costly", isCostly: true)

    /// An unexpected error of a handler. Its text must not leave the program.
    struct Mishap: Error {
        let text = "canary in the mine"
    }

    let gate = Gate()

    var methods: ServiceMethods {
        ServiceMethods(
            ServiceDescription(name: "test.v1.Echo", methods: [], fileDescriptors: []),
            [
                .onLoop(Self.onLoop, Self.echo), .async(Self.async, Self.echo),
                .onLoop(Self.encoded) { (request: Request, context) in
                    Encoded(try Self.echo(request, context))
                },
                .async(Self.gated, waiting), .async(Self.repeatable, waiting),
                .async(Self.costly, waiting),
                .async(Self.stubborn) { (request: Request, _) in
                    try? await gate.pass(isStubborn: true)  // it ignores its cancellation
                    return Response(valid: true, sessionId: request.accessToken)
                },
                .async(Self.fails) { (_: Request, _) -> Response in throw Mishap() },
                .onLoop(Self.failsOnLoop) { (_: Request, _) -> Response in throw Mishap() },
                .async(Self.limited) { (request: Request, _) -> Response in
                    throw ServiceError(
                        .tooManyRequests, retryAfter: .milliseconds(1_500), fields: ["email"],
                        detail: "canary")
                },
                .onLoop(Self.long, Self.lengthen), .async(Self.longAsync, Self.lengthen),
                .onLoop(Self.caller) { (_: Request, context) in
                    Response(
                        valid: context.mayAssertClientAddress, sessionId: context.application,
                        accountId: context.clientAddress ?? "",
                        amr: [context.idempotencyKey ?? ""])
                },
            ] + streams)
    }

    private func waiting(_ request: Request, _ context: CallContext) async throws -> Response {
        try await gate.pass()
        return try Self.echo(request, context)
    }

    private static func echo(_ request: Request, _ context: CallContext) throws -> Response {
        Response(valid: true, sessionId: request.accessToken)
    }

    /// As many bytes as the request's text says.
    private static func lengthen(_ request: Request, _ context: CallContext) throws -> Response {
        Response(sessionId: String(repeating: "x", count: Int(request.accessToken) ?? 0))
    }

    private static func method(
        _ name: String, isOnLoop: Bool = false, isIdempotent: Bool = false,
        isCostly: Bool = false, streams: MethodDescription.Streams = .none
    ) -> MethodDescription {
        MethodDescription(
            name: "test.v1.Echo/\(name)", isIdempotent: isIdempotent, timeout: .seconds(10),
            isOnLoop: isOnLoop, streams: streams, isCostly: isCostly)
    }
}
