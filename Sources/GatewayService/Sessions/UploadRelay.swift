import Messages
import RPC
import ServiceRuntime

extension BidirectionalCall {
    /// Relays a caller's upload to an inner service, and its answers back, until the service has
    /// answered: both directions at once. The gateway holds one item of each: the service takes the
    /// items at its own pace, and the caller's stream waits for it.
    ///
    /// What ends first decides: an item that is no part of the upload ends the service's call, and
    /// the service's end that of the caller's items.
    /// - Parameters:
    ///   - head: the service's first item.
    ///   - items: what the caller sends after its own first item.
    ///   - part: the service's item for one of the caller's; it throws for one in the wrong place.
    ///   - answer: writes an item of the service to the caller.
    /// - Throws: the errors of the service, of `items`, `part` and `answer`.
    func relay<Item: Sendable>(
        _ head: Request, then items: IncomingItems<Item>,
        as part: @escaping @Sendable (Item) throws -> Request,
        answer: @escaping @Sendable (Response) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { directions in
            directions.addTask {
                try await Self.send(head, then: items, as: part, to: outgoing)
                return false
            }
            directions.addTask {
                for try await item in incoming { try await answer(item) }
                return true
            }
            defer { directions.cancelAll() }
            for try await isAnswered in directions where isAnswered { return }
        }
    }

    private static func send<Item: Sendable>(
        _ head: Request, then items: IncomingItems<Item>,
        as part: @Sendable (Item) throws -> Request, to outgoing: OutgoingItems<Request>
    ) async throws {
        let items = items.makeAsyncIterator()
        var next = head
        // A write fails when the service has ended its call: the other direction gets the error.
        while (try? await outgoing.write(next)) != nil, let item = try await items.next() {
            next = try part(item)
        }
        outgoing.finish()
    }
}
