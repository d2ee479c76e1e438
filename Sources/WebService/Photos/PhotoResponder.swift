import Contracts
import HTTPTypes
import Logging
import Messages
import RPC
import ServiceRuntime

/// Photos by HTTP (G-17), since browsers cannot send streams and an `<img>` makes no calls:
///
///     PUT        /v1/photo          `Profile/UploadPhoto` in the caller's session; the body is the photo
///     GET, HEAD  /v1/photos/{name}  `Profile/DownloadPhoto`, with a session or without
///
/// Errors have the form of those of unary calls, so that apps handle one. Each request is one stream
/// of the gateway, whose flow control reaches the client: neither here nor there is a whole photo in
/// memory.
struct PhotoResponder: Sendable {
    /// What the paths of photos begin with.
    static let path = "/v1/photos/"

    let profile: any ProfileAPI
    let methods: CallMethods
    let callers: CallerCheck
    let formalLanguages: FormalLanguages
    let time: any Time
    let logger: Logger

    /// What a failure, and the JSON of an upload, are written by.
    func response(to exchange: HTTPExchange) -> CallResponse {
        CallResponse(
            exchange, nil, .plain, fields: callers.responseFields(of: exchange.head),
            formalLanguages.voice(for: exchange.head.headerFields))
    }

    /// The gateway's method, as the client's rules know it.
    /// - Throws: `rpc/unknown-method`, for a method that this program does not have.
    func schema(of method: MethodDescription) throws(ServiceError) -> SchemaMethod {
        guard let schema = methods[method.name]?.schema else { throw ServiceError(.unknownMethod) }
        return schema
    }

    /// The context of the stream, whose deadline is also the client's: it sends or reads within it.
    func context(
        _ method: MethodDescription, _ fields: HTTPFields, _ caller: WebCaller
    ) -> CallContext {
        var metadata = Metadata(of: fields, from: caller)
        // Both methods are idempotent.
        metadata[Metadata.Key.idempotencyKey] = nil
        return CallContext(
            deadline: time.uptime() + method.timeout, isCallersDeadline: true, metadata: metadata)
    }
}
