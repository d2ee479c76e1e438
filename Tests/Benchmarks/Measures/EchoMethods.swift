import Messages
import RPC
import ServiceRuntime

/// The methods that answer a refresh's request with a refresh's answer, held ready: messages of
/// ours with strings and parts, as calls have. A request makes a frame of 217 bytes and an answer
/// one of 90; an item carries the answer's 78 bytes; `Peers/echo.proto` is the same for the peers.
enum EchoMethods {
    /// Both kinds of handler, and a stream.
    static let all = ServiceMethods(
        ServiceDescription(
            name: "postern.benchmark.v1.Echo", methods: [onLoop, async, items],
            fileDescriptorSet: ""),
        [
            .onLoop(onLoop) { (request: SessionV1.RefreshRequest, _) in try answer(request) },
            .async(async) { (request: SessionV1.RefreshRequest, _) async throws in
                try answer(request)
            },
            // Without an end of its own: a write throws once the call is cancelled or out of time.
            .serverStream(items) { (request: SessionV1.RefreshRequest, out, _) in
                let item = try answer(request)
                while true { try await out.write(item) }
            },
        ])

    private static let onLoop = method("OnLoop", isOnLoop: true)
    private static let async = method("Async", isOnLoop: false)
    private static let items = method("Items", isOnLoop: false, streams: .response)

    private static let tokenBytes = 110
    private static let held = SessionV1.RefreshResponse(
        tokens: SessionV1.Tokens(
            sessionId: "ses_0123456789abcdefghjkmnpqr", accessExpiresAtMs: 1_700_000_900_000,
            idleExpiresAtMs: 1_700_604_800_000),
        accountId: "acc_0123456789abcdefghjkmnpqr")

    private static func answer(
        _ request: SessionV1.RefreshRequest
    ) throws -> SessionV1.RefreshResponse {
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
