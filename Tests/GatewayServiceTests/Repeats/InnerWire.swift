import Contracts
import Messages
import RPC
import RateLimitService
import ServiceRuntime
import Synchronization

@testable import IdentityAssembly
@testable import SessionService

/// The inner services as a gateway's clients call them. Each call is counted, and one of them can
/// be lost: its request or its response.
final class InnerWire: PackedChannel {
    /// A fault in one call.
    struct Cut: Hashable, Sendable {
        /// The method of the call. A flow can make two calls concurrently, so a number over all
        /// methods would not be repeatable.
        let method: String
        /// The number of the call to this method, from 1.
        let call: Int
        /// Whether the service executes the call, so that only its response is lost.
        let doesIt: Bool
    }

    private let services: InProcessChannel
    private let cut: Cut?
    private let made = Mutex<[MethodDescription]>([])

    init(_ inner: InnerServices, cut: Cut? = nil) {
        services = InProcessChannel(
            inner.identity.methods + inner.sessionService.methods + inner.limitMethods,
            as: CallContext.gateway)
        self.cut = cut
    }

    /// The calls so far, in order.
    var calls: [MethodDescription] { made.withLock { $0 } }

    func call(
        _ method: MethodDescription, packed payload: OutgoingRequest.Payload,
        _ context: CallContext
    ) async throws -> [UInt8] {
        let isCut = isCut(method)
        if isCut, cut?.doesIt == false { throw ServiceError(.unavailable) }
        let answer = try await services.call(method, packed: payload, context)
        if isCut { throw ServiceError(.unavailable) }
        return answer
    }

    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        try Response(
            decoding: await call(method, packed: .plain(request.encoded()), context))
    }

    /// Counts a call.
    /// - Returns: whether it is the one that is lost.
    private func isCut(_ method: MethodDescription) -> Bool {
        let number = made.withLock { made in
            made.append(method)
            return made.count { $0.name == method.name }
        }
        return cut?.method == method.name && cut?.call == number
    }

    // MARK: Streams, of which one mutating flow uses one

    func stream(
        _ method: MethodDescription, payload: [UInt8], _ context: CallContext
    ) -> PackedStreamCall {
        let isCut = isCut(method)
        guard !isCut || cut?.doesIt == true else {
            return .inProcess(payload, context) { _ in throw ServiceError(.unavailable) }
        }
        let call = services.stream(method, payload: payload, context)
        guard isCut else { return call }
        return .inProcess(payload, context) { caller in
            // It is done; its items are lost.
            async let sent: Void = {
                for try await item in caller.incoming { try await call.outgoing.write(item) }
                call.outgoing.finish()
            }()
            for try await _ in call.incoming {}
            try await sent
            throw ServiceError(.unavailable)
        }
    }

    func serverStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) -> IncomingItems<Response> {
        .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func clientStream<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> ClientStreamCall<Request, Response> {
        .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func bidirectional<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ context: CallContext
    ) -> BidirectionalCall<Request, Response> {
        .inProcess { _, _ in throw ServiceError(.unknownMethod) }
    }
}
