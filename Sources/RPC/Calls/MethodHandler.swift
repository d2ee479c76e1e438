package import Messages
import NIOCore

/// A method with the code that serves it, its message types erased.
///
/// Two kinds (Tests/Benchmarks/README.md, Echo, has what each costs): *on the loop* runs to its end
/// inside the read turn and may not wait; *async* begins inside the read turn as a task, and where
/// it waits it goes on on the connection's own event loop, so no call changes threads unless its
/// handler does.
package struct MethodHandler: Sendable {
    /// Serves a call whole and writes its Response.
    typealias OnLoop =
        @Sendable (UnsafeRawBufferPointer, CallContext, inout ResponseWriter) throws -> Void
    /// Decodes a call and starts its task.
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

    /// A handler that never waits and whose answers were encoded before. A generated dispatcher asks
    /// for the message itself; a service puts this in its place (`ServiceMethods.replacing`) for a
    /// method that it answers with the same message again and again.
    package static func onLoop<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription,
        _ handle: @escaping @Sendable (Request, CallContext) throws -> Encoded<Response>
    ) -> MethodHandler {
        MethodHandler(
            method: method,
            kind: .onLoop { payload, context, writer in
                let request = try Request(decoding: payload, in: writer.arena)
                // Written as bytes: of `Encoded<Response>` each call would have to look its type up.
                try writer.write(handle(request, context).bytes)
            })
    }

    /// The same handler, but that `attempt` is asked first (`ServiceMethods.attempting`).
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
