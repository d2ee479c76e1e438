package import Messages
import NIOCore
import ServiceRuntime

/// Streaming calls. They are not retried automatically: their items have been delivered, and only
/// the consumer knows where to resume.
extension RPCClient {
    package func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response> {
        let stream = begin(method, request.encoded(), context)
        return IncomingItems(stream, user: CallStream.User(stream))
    }

    package func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response> {
        let stream = begin(method, [], context)
        let user = CallStream.User(stream)
        return ClientStreamCall(OutgoingItems(stream, user: user)) {
            defer { withExtendedLifetime(user) {} }
            let answer = try await stream.answer()
            return try peersAnswer { try Response(decoding: answer) }
        }
    }

    package func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response> {
        let stream = begin(method, [], context)
        let user = CallStream.User(stream)
        return BidirectionalCall(
            outgoing: OutgoingItems(stream, user: user),
            incoming: IncomingItems(stream, user: user))
    }

    /// Calls a method of any kind with packed messages.
    package func stream(
        _ method: MethodDescription, payload: [UInt8], _ context: CallContext
    ) -> PackedStreamCall {
        let stream = begin(method, payload, context)
        let user = CallStream.User(stream)
        return PackedStreamCall(
            outgoing: OutgoingItems(stream, user: user) { stream.attempt($0) },
            incoming: IncomingItems(stream, user: user) { bytes, _ in Array(bytes) },
            answer: {
                defer { withExtendedLifetime(user) {} }
                return try await stream.answer()
            })
    }

    private func begin(
        _ method: MethodDescription, _ payload: [UInt8], _ context: CallContext
    ) -> CallStream {
        let loop = loopOfCall
        let stream = CallStream(loop)
        let time = time
        let (seen, context) = observed.begin(method.name, context, time)
        let request = OutgoingRequest(
            method: method.name, metadata: context.metadata, payload: payload,
            more: method.streams.hasRequestItems)
        let connectDue = time.uptime() + settings.connectTimeout
        let service = settings.service
        on(loop) { pool in
            let pending = PendingCall(
                request, deadline: context.deadlineForPeers,
                isCallersDeadline: context.isCallersDeadline, connectDue: connectDue,
                streams: method.streams, isWatch: method.isWatch, stream: stream
            ) { result in
                seen.end(result.status, time)
                stream.end(CallStream.Ending(result.mapError { $0.naming(service) }))
            }
            stream.giveUp = { pool.cancel(pending) }
            pool.start(pending)
        }
        return stream
    }
}

extension Result<BorrowedResponse, ServiceError> {
    var status: StatusCode {
        switch self {
        case .success: .ok
        case .failure(let error): StatusCode(answering: error)
        }
    }
}

extension CallStream.Ending {
    init(_ result: Result<BorrowedResponse, ServiceError>) {
        switch result {
        case .success(let answer): self = .answered(Array(answer.payload))
        case .failure(let error): self = .failed(error)
        }
    }
}
