import ServiceRuntime

/// A channel for calls whose messages are packed: of a program that passes calls on, and of tools
/// that use reflection.
package protocol PackedChannel: CallChannel {
    /// Calls a unary method, with its retries, hedges and treatment of secrets.
    /// - Returns: the packed response.
    /// - Throws: `ServiceError`, from the peer or the transport.
    func call(
        _ method: MethodDescription, packed payload: OutgoingRequest.Payload,
        _ context: CallContext
    ) async throws -> [UInt8]

    /// Starts a call with streams.
    /// - Parameter payload: the packed request; empty where the caller sends items.
    func stream(
        _ method: MethodDescription, payload: [UInt8], _ context: CallContext
    ) -> PackedStreamCall
}

extension RPCClient: PackedChannel {}

/// A streaming call whose messages are packed.
package struct PackedStreamCall: Sendable {
    /// The items that the caller writes, if the method takes items.
    package let outgoing: OutgoingItems<[UInt8]>
    /// The items that the server sends, if it does.
    package let incoming: IncomingItems<[UInt8]>
    private let answer: @Sendable () async throws -> [UInt8]

    /// A call with both sides' items and its response.
    init(
        outgoing: OutgoingItems<[UInt8]>, incoming: IncomingItems<[UInt8]>,
        answer: @escaping @Sendable () async throws -> [UInt8]
    ) {
        self.outgoing = outgoing
        self.incoming = incoming
        self.answer = answer
    }

    /// The Response's message; empty where the server sends items.
    /// - Throws: `ServiceError`.
    package func response() async throws -> [UInt8] { try await answer() }
}
