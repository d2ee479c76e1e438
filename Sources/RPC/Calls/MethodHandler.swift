package import Messages
import NIOCore
import ServiceRuntime

/// A method with the code that serves it, with its message types erased.
///
/// There are two kinds (Tests/Benchmarks/README.md, Echo, has the cost of each). An *on-loop*
/// handler runs to its end while the frame is read, and may not wait. An *async* handler starts as
/// a task while the frame is read; after a suspension it continues on the connection's own event
/// loop. A call therefore never changes threads unless its handler does.
package struct MethodHandler: Sendable {
    /// Serves a whole call and writes its Response to the buffer. The arena decodes the request.
    typealias OnLoop =
        @Sendable (
            UnsafeRawBufferPointer, Arena, CallContext, ResponseWriter, inout ByteBuffer
        ) throws -> Void
    /// Decodes a request and starts to serve its call.
    typealias Async =
        @Sendable (UnsafeRawBufferPointer, CallContext, AsyncCall) throws -> RunningHandler
    /// Serves a call of this process.
    typealias Local = @Sendable (LocalCall) async throws -> [UInt8]

    enum Kind {
        case onLoop(OnLoop)
        case async(Async)
    }

    /// The method that it serves.
    package let method: MethodDescription
    let kind: Kind
    let local: Local

    /// A handler that never waits.
    package static func onLoop<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (Request, CallContext) throws -> Response
    ) -> MethodHandler {
        MethodHandler(
            method: method,
            kind: .onLoop { payload, arena, context, writer, out in
                let request = try Request.decode(payload, in: arena)
                try writer.write(handle(request, context), to: &out)
            },
            local: { try handle(Request(decoding: $0.request), $0.context).encoded() })
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
            kind: .onLoop { payload, arena, context, writer, out in
                let request = try Request.decode(payload, in: arena)
                // Written as bytes: `Encoded<Response>` would cost a generic type lookup in each
                // call.
                try writer.write(handle(request, context).bytes, to: &out)
            },
            local: { try handle(Request(decoding: $0.request), $0.context).bytes })
    }

    /// A handler that may wait.
    package static func async<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (Request, CallContext) async throws -> Response
    ) -> MethodHandler {
        MethodHandler(
            method: method,
            kind: .async { payload, context, call in
                let request = try Request.decode(payload, in: call.arena)
                // Moved, as a copy of a message retains all its strings.
                return .task(
                    Task.immediate(executorPreference: call.executor) {
                        [request = consume request] in
                        do {
                            call.finish(try await handle(request, context))
                        } catch {
                            call.fail(error)
                        }
                    })
            },
            local: { try await handle(Request(decoding: $0.request), $0.context).encoded() })
    }
}

extension MethodHandler {
    /// The same, with the context of each call changed before the handler has it.
    func preparing(
        _ prepare: @escaping @Sendable (inout CallContext) -> Void
    ) -> MethodHandler {
        let prepared: @Sendable (CallContext) -> CallContext = {
            var context = $0
            prepare(&context)
            return context
        }
        let preparing: Kind =
            switch kind {
            case .onLoop(let serve):
                .onLoop { payload, arena, context, writer, out in
                    try serve(payload, arena, prepared(context), writer, &out)
                }
            case .async(let serve):
                .async { payload, context, call in try serve(payload, prepared(context), call) }
            }
        return MethodHandler(
            method: method, kind: preparing,
            local: { [local] call in
                try await local(
                    LocalCall(call.request, call.incoming, call.outgoing, prepared(call.context)))
            })
    }
}

/// Writes the response of an on-loop handler directly after the connection's pending output.
struct ResponseWriter {
    let call: UInt64
    let frameBytesMax: Int

    /// Writes the OK Response.
    /// - Throws: `rpc/resource-exhausted` when the response exceeds the peer's frame limit.
    func write(_ response: some WireEncoded, to out: inout ByteBuffer) throws {
        guard
            FrameWriter.writeResponse(
                call: call, response, to: &out, frameBytesMax: frameBytesMax) != nil
        else { throw Self.tooLarge }
    }

    static var tooLarge: ServiceError {
        ServiceError(.resourceExhausted, detail: "the response exceeds the peer's frame limit")
    }
}

/// The handlers of one service, as its generated dispatcher lists them.
package struct ServiceMethods: Sendable {
    /// The service.
    package let description: ServiceDescription
    /// One handler for each method.
    package let handlers: [MethodHandler]

    /// A service with its handlers.
    package init(_ description: ServiceDescription, _ handlers: [MethodHandler]) {
        self.description = description
        self.handlers = handlers
    }

    /// The same, with the context of each call changed before its handler has it.
    package func preparing(
        _ prepare: @escaping @Sendable (inout CallContext) -> Void
    ) -> ServiceMethods {
        ServiceMethods(description, handlers.map { $0.preparing(prepare) })
    }

    /// The same, with `handler` in place of the current handler of its method.
    package func replacing(_ handler: MethodHandler) -> ServiceMethods {
        let name = handler.method.name
        return ServiceMethods(
            description, handlers.map { $0.method.name == name ? handler : $0 })
    }
}
