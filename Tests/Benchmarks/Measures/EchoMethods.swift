import Messages
import RPC
import ServiceRuntime

/// Methods that take a refresh's request and return a constant refresh response: messages with
/// strings and submessages, as real calls have. A request makes a frame of 217 bytes and a response
/// one of 90. An item carries the response's 78 bytes. `Peers/echo.proto` is the same for the
/// peers.
enum EchoMethods {
    /// Both kinds of handler, and a stream.
    static let all = ServiceMethods(
        ServiceDescription(
            name: "postern.benchmark.v1.Echo", methods: [onLoop, async, items],
            fileDescriptors: []),
        [
            .onLoop(onLoop) { (request: GatewayV1.RefreshSessionRequest, _) in try answer(request)
            },
            .async(async) { (request: GatewayV1.RefreshSessionRequest, _) async throws in
                try answer(request)
            },
            // An endless stream: a write throws once the call is cancelled or past its deadline.
            .serverStream(items) { (request: GatewayV1.RefreshSessionRequest, out, _) in
                let item = try answer(request)
                while true { try await out.write(item) }
            },
        ])

    private static let onLoop = method("OnLoop", isOnLoop: true)
    private static let async = method("Async", isOnLoop: false)
    private static let items = method("Items", isOnLoop: false, streams: .response)

    private static let tokenBytes = 110
    private static let held = GatewayV1.RefreshSessionResponse(
        session: GatewayV1.Session(
            sessionId: "ses_0123456789abcdefghjkmnpqr",
            accessToken: "acc_0123456789abcdefghjkmnpqr", accessExpiresAtMs: 1_700_000_900_000,
            idleExpiresAtMs: 1_700_604_800_000))

    private static func answer(
        _ request: GatewayV1.RefreshSessionRequest
    ) throws -> GatewayV1.RefreshSessionResponse {
        guard request.refreshToken.utf8.count == tokenBytes else {
            throw ServiceError(.invalidArgument, fields: ["refresh_token"])
        }
        return held
    }

    private static func method(
        _ name: String, isOnLoop: Bool, streams: MethodDescription.Streams = .none
    ) -> MethodDescription {
        MethodDescription(
            name: "postern.benchmark.v1.Echo/\(name)", isIdempotent: true, timeout: .seconds(10),
            isOnLoop: isOnLoop, streams: streams)
    }
}
