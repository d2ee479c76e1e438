package import Messages
import NIOCore

/// A method with the code that serves it, with its message types erased.
///
/// There are two kinds (Tests/Benchmarks/README.md, Echo, has the cost of each). An *on-loop*
/// handler runs to its
/// end while the frame is read, and may not wait. An *async* handler starts as a task while the
/// frame is read; after a suspension it continues on the connection's own event loop. A call
/// therefore never changes threads unless its handler does.
package struct MethodHandler: Sendable {
    /// Serves a whole call and writes its Response.
    typealias OnLoop =
        @Sendable (UnsafeRawBufferPointer, CallContext, inout ResponseWriter) throws -> Void
    /// Decodes a request and starts its task.
    typealias Async =
        @Sendable (UnsafeRawBufferPointer, CallContext, AsyncCall) throws -> Task<Void, Never>

    enum Kind {
        case onLoop(OnLoop)
        case async(Async)
    }

    /// The method that it serves.
    package let method: MethodDescription
    let kind: Kind

    /// A handler that never waits.
    package static func onLoop<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (Request, CallContext) throws -> Response
    ) -> MethodHandler {
        MethodHandler(
            method: method,
            kind: .onLoop { payload, context, writer in
                let request = try Request(decoding: payload, in: writer.arena)
                try writer.write(handle(request, context))
            })
    }

    /// A handler that never waits and returns responses that are already encoded. The generated
    /// dispatcher uses the variant that returns a message; a service replaces it with this one
    /// (`ServiceMethods.replacing`) for a method that it often answers with the same message.
    package static func onLoop<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (Request, CallContext) throws -> Encoded<Response>
    ) -> MethodHandler {
        MethodHandler(
            method: method,
            kind: .onLoop { payload, context, writer in
                let request = try Request(decoding: payload, in: writer.arena)
                // Written as bytes: `Encoded<Response>` would cost a generic type lookup in each
                // call.
                try writer.write(handle(request, context).bytes)
            })
    }

    /// The same handler, but `attempt` is called first (`ServiceMethods.attempting`).
    func attempting(
        _ attempt:
            @escaping @Sendable (UnsafeRawBufferPointer, inout ResponseWriter) throws -> Bool
    ) -> MethodHandler {
        guard case .onLoop(let handle) = kind else {
            preconditionFailure("only a handler on the loop answers from the bytes")
        }
        return MethodHandler(
            method: method,
            kind: .onLoop { payload, context, writer in
                guard try !attempt(payload, &writer) else { return }
                try handle(payload, context, &writer)
            })
    }

    /// A handler that may wait.
    package static func async<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (Request, CallContext) async throws -> Response
    ) -> MethodHandler {
        MethodHandler(
            method: method,
            kind: .async { payload, context, call in
                let request = try Request(decoding: payload, in: call.arena)
                return Task.immediate(executorPreference: call.executor) {
                    do {
                        call.finish(try await handle(request, context))
                    } catch {
                        call.fail(error)
                    }
                }
            })
    }
}
