import GRPCCore
import GRPCProtobuf

/// Returns the same message for every call.
struct EchoService: RegistrableRPCService {
    private static let tokenBytes = 110

    private static let held: EchoResponse = {
        var session = Session()
        session.sessionID = "ses_0123456789abcdefghjkmnpqr"
        session.accessToken = "acc_0123456789abcdefghjkmnpqr"
        session.accessExpiresAtMs = 1_700_000_900_000
        session.idleExpiresAtMs = 1_700_604_800_000
        var held = EchoResponse()
        held.session = session
        return held
    }()

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(
            forMethod: MethodDescriptor(
                fullyQualifiedService: "postern.benchmark.v1.Echo", method: "Call"),
            deserializer: ProtobufDeserializer<EchoRequest>(),
            serializer: ProtobufSerializer<EchoResponse>(),
            handler: { request, _ in
                let request = try await ServerRequest(stream: request)
                return StreamingServerResponse(
                    single: ServerResponse(message: try Self.answer(request.message)))
            })
    }

    private static func answer(_ request: EchoRequest) throws -> EchoResponse {
        guard request.refreshToken.utf8.count == tokenBytes else {
            throw RPCError(code: .invalidArgument, message: "not the benchmark's request")
        }
        return held
    }
}
