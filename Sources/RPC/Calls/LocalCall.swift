import Messages
import ServiceRuntime

/// A call of this process to a handler, packed as on the wire.
package struct LocalCall: Sendable {
    /// The packed request; empty where the caller sends items.
    package let request: [UInt8]
    /// The caller's packed items.
    package let incoming: IncomingItems<[UInt8]>
    /// Takes the handler's packed items.
    package let outgoing: OutgoingItems<[UInt8]>
    /// What the handler knows about the call.
    package let context: CallContext

    /// A call without items.
    package init(_ request: [UInt8], _ context: CallContext) {
        let none = ItemPipe<[UInt8]>()
        none.finish()
        self.init(request, IncomingItems(none), OutgoingItems(none), context)
    }

    /// A call with items.
    init(
        _ request: [UInt8], _ incoming: IncomingItems<[UInt8]>,
        _ outgoing: OutgoingItems<[UInt8]>, _ context: CallContext
    ) {
        self.request = request
        self.incoming = incoming
        self.outgoing = outgoing
        self.context = context
    }

    /// The caller's items, decoded.
    func items<Item: ProtobufMessage>() -> IncomingItems<Item> {
        .inProcess { decoded in
            for try await item in incoming { try await decoded.write(Item(decoding: item)) }
        }
    }

    /// Encodes the items that `body` writes.
    func answer<Item: ProtobufMessage>(
        _ body: @escaping @Sendable (OutgoingItems<Item>) async throws -> Void
    ) async throws {
        let items = IncomingItems<Item>.inProcess(body)
        for try await item in items { try await outgoing.write(item.encoded()) }
    }
}

extension MethodHandler {
    /// Serves a call of this process: what a dispatcher's handlers do without a connection.
    /// - Returns: the packed response; empty where the handler sends items.
    /// - Throws: what the handler throws; `MessageError` for a request that does not decode.
    package func serve(_ call: LocalCall) async throws -> [UInt8] { try await local(call) }
}

extension PackedStreamCall {
    /// A call with streams that `serve` answers, in this process.
    package static func inProcess(
        _ request: [UInt8], _ context: CallContext,
        _ serve: @escaping @Sendable (LocalCall) async throws -> [UInt8]
    ) -> PackedStreamCall {
        let (sent, answered) = (ItemPipe<[UInt8]>(), ItemPipe<[UInt8]>())
        let answer = Task {
            defer { sent.end(.failure(ServiceError(.cancelled))) }
            do {
                let response = try await serve(
                    LocalCall(request, IncomingItems(sent), OutgoingItems(answered), context))
                answered.finish()
                return response
            } catch {
                answered.end(.failure(ServiceError(answering: error)))
                throw error
            }
        }
        return PackedStreamCall(
            outgoing: OutgoingItems(sent),
            incoming: IncomingItems(answered, PipeUser(answered) { answer.cancel() }),
            answer: { try await answer.value })
    }
}
