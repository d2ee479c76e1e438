/// A call whose caller sends items and gets one answer.
package struct ClientStreamCall<Request: Sendable, Response: Sendable>: Sendable {
    /// Where the caller writes; `finish` it, or there is no answer.
    package let outgoing: OutgoingItems<Request>
    private let answer: @Sendable () async throws -> Response

    init(
        _ outgoing: OutgoingItems<Request>,
        _ answer: @escaping @Sendable () async throws -> Response
    ) {
        self.outgoing = outgoing
        self.answer = answer
    }

    /// The answer. May come before the last item is written, and then ends the call.
    /// - Throws: `ServiceError`.
    package func response() async throws -> Response { try await answer() }
}

/// A call whose sides both send items, each at its own pace.
package struct BidirectionalCall<Request: Sendable, Response: Sendable>: Sendable {
    /// Where the caller writes; `finish` tells the other side that it was the last.
    package let outgoing: OutgoingItems<Request>
    /// What the other side sends.
    package let incoming: IncomingItems<Response>

    init(_ outgoing: OutgoingItems<Request>, _ incoming: IncomingItems<Response>) {
        self.outgoing = outgoing
        self.incoming = incoming
    }
}
