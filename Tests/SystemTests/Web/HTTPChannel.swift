import Contracts
import Cryptography
import Foundation
import Messages
import RPC
import ServiceRuntime

/// Unary methods by JSON over HTTP/1.1, through the web service and `curl`, so that a story reads
/// the same over HTTP and over the wire. Messages are mapped by their descriptors. Streams go to the
/// gateway.
struct HTTPChannel: CallChannel {
    /// Descriptors of all messages that the stories send.
    private static let schemas = Result {
        try [
            AuthDescription.service, PasswordsDescription.service, EmailsDescription.service,
            ProvidersDescription.service, GuestsDescription.service,
            SignInMethodsDescription.service, AccountSessionsDescription.service,
            PhoneSignInDescription.service, DocumentsDescription.service,
            ProfileDescription.service, OnboardingDescription.service,
            ConsentsDescription.service, AccountDeletionDescription.service,
            DataExportsDescription.service, PushRegistrationsDescription.service,
            SignInChallengesDescription.service, SecondFactorsDescription.service,
            PasskeysDescription.service,
        ].map { try Schema(fileDescriptorSet: $0.fileDescriptorSet) }
    }

    private let web: WebClient
    private let streams: RPCClient

    init(_ web: WebClient, streams: RPCClient) {
        self.web = web
        self.streams = streams
    }

    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        let json = try Self.message(Request.fullName).decodeToJSON(request.encoded())
        let response = try await web.curl(
            "/\(method.name)",
            web.options(context) + [
                "--header", "content-type: application/json", "--data-raw", json,
            ])
        guard response.status == 200 else { throw try response.failure() }
        return try Response(
            decoding: Self.message(Response.fullName).encodeJSON(response.body))
    }

    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response> {
        streams.serverStream(method, request, context)
    }

    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response> {
        streams.clientStream(method, context)
    }

    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response> {
        streams.bidirectional(method, context)
    }

    private static func message(_ name: String) throws -> SchemaMessage {
        guard let message = try schemas.get().lazy.compactMap({ $0.message(named: name) }).first
        else { throw ClusterError(message: "no descriptor of \(name)") }
        return message
    }
}

extension WebClient.Response {
    /// The error of the catalogue in a response that is not 200.
    func failure() throws -> ServiceError {
        struct Body: Decodable {
            let details: [Detail]
        }
        struct Detail: Decodable {
            let value: String
        }
        let body: Body = try read()
        guard let bytes = body.details.first.flatMap({ Base64.decodeUnpadded($0.value.utf8) })
        else {
            throw ClusterError(message: "an error without details: \(status) \(self.body)")
        }
        return ServiceError(WireV1.Response(error: try WireV1.Error(decoding: bytes)))
    }
}
