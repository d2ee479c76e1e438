import ServiceRuntime
import Synchronization

/// A stream within the process, for a service that is called by its own program. It has the same
/// bounds as a stream over a connection, so that code that works with one works with the other.
final class ItemPipe<Item: Sendable>: Sendable {
    struct Writer {
        let ticket: CallStream.Ticket
        let item: Item
        let wake: CheckedContinuation<Void, any Error>
    }

    struct State {
        var items: [Item] = []
        var position = 0
        var ending: Result<Void, ServiceError>?
        var readers: [(ticket: CallStream.Ticket, wake: CheckedContinuation<Void, Never>)] = []
        var writers: [Writer] = []

        var isFull: Bool { items.count - position >= Int(FrameLimits.streamCredit) }

        mutating func pop() -> Item? {
            guard position < items.count else { return nil }
            defer {
                position += 1
                if position == items.count { (items, position) = ([], 0) }
            }
            return items[position]
        }

        /// Adds an item, or queues its writer when the pipe is full.
        /// - Returns: the result of the write, nil when it waits; and a reader to wake.
        mutating func take(
            _ item: Item, _ ticket: CallStream.Ticket, _ wake: CheckedContinuation<Void, any Error>
        ) -> (Result<Void, any Error>?, CheckedContinuation<Void, Never>?) {
            if ending != nil || ticket.isCancelled.load(ordering: .acquiring) {
                return (.failure(ServiceError(.cancelled)), nil)
            }
            guard !isFull else {
                writers.append(Writer(ticket: ticket, item: item, wake: wake))
                return (nil, nil)
            }
            items.append(item)
            return (.success(()), readers.isEmpty ? nil : readers.removeFirst().wake)
        }
    }

    private let state = Mutex(State())

    // MARK: Taking

    /// The next item; nil after the last.
    /// - Throws: `ServiceError` when the pipe failed or the task was cancelled.
    func next() async throws -> Item? {
        while true {
            switch taken() {
            case .item(let item): return item
            case .ended(let ending):
                try ending.get()
                return nil
            case .nothing:
                guard !Task.isCancelled else { throw ServiceError(.cancelled) }
                await waitForItems()
            }
        }
    }

    private enum Taken {
        case item(Item)
        case nothing
        case ended(Result<Void, ServiceError>)
    }

    private func taken() -> Taken {
        let (taken, wake) = state.withLock {
            state -> (Taken, CheckedContinuation<Void, any Error>?) in
            guard let item = state.pop() else {
                return (state.ending.map(Taken.ended) ?? .nothing, nil)
            }
            guard !state.writers.isEmpty else { return (.item(item), nil) }
            let writer = state.writers.removeFirst()
            state.items.append(writer.item)
            return (.item(item), writer.wake)
        }
        wake?.resume()
        return taken
    }

    private func waitForItems() async {
        let ticket = CallStream.Ticket()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isNow = state.withLock { state in
                    let isReady = state.position < state.items.count || state.ending != nil
                    if isReady || ticket.isCancelled.load(ordering: .acquiring) { return true }
                    state.readers.append((ticket, wake))
                    return false
                }
                if isNow { wake.resume() }
            }
        } onCancel: {
            callOff(ticket)
        }
    }

    // MARK: Writing

    /// Adds an item; waits while the pipe is full.
    /// - Throws: `rpc/cancelled` when the pipe has ended or the task was cancelled.
    func write(_ item: Item) async throws {
        let ticket = CallStream.Ticket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let (outcome, reader) = state.withLock { $0.take(item, ticket, wake) }
                reader?.resume()
                if let outcome { wake.resume(with: outcome) }
            }
        } onCancel: {
            callOff(ticket)
        }
    }

    /// Ends the items; the reader sees the end after the items that are there.
    func finish() { end(.success(())) }

    func end(_ ending: Result<Void, ServiceError>) {
        let (readers, writers) = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            defer { (state.readers, state.writers) = ([], []) }
            return (state.readers, state.writers)
        }
        for reader in readers { reader.wake.resume() }
        for writer in writers { writer.wake.resume(throwing: ServiceError(.cancelled)) }
    }

    private func callOff(_ ticket: CallStream.Ticket) {
        ticket.isCancelled.store(true, ordering: .releasing)
        let (reader, writer) = state.withLock { state in
            let reader = state.readers.firstIndex { $0.ticket === ticket }
            let writer = state.writers.firstIndex { $0.ticket === ticket }
            return (
                reader.map { state.readers.remove(at: $0).wake },
                writer.map { state.writers.remove(at: $0).wake }
            )
        }
        reader?.resume()
        writer?.resume(throwing: ServiceError(.cancelled))
    }
}

/// Represents the caller at one end of a pipe: when the last reference is released, the serving
/// task is stopped.
final class PipeUser<Item: Sendable>: Sendable {
    private let pipe: ItemPipe<Item>
    private let stop: @Sendable () -> Void

    init(_ pipe: ItemPipe<Item>, stop: @escaping @Sendable () -> Void) {
        self.pipe = pipe
        self.stop = stop
    }

    deinit {
        pipe.end(.failure(ServiceError(.cancelled)))
        stop()
    }
}

// For a service that is called by its own program, without a connection. Generated code uses these
// to make the client's interface of a streaming method from the server's.

extension IncomingItems {
    /// The items that `serve` writes, in its own task.
    package static func inProcess(
        _ serve: @escaping @Sendable (OutgoingItems<Item>) async throws -> Void
    ) -> IncomingItems<Item> {
        let pipe = ItemPipe<Item>()
        let writer = Task { await pipe.endAfter { try await serve(OutgoingItems(pipe)) } }
        return IncomingItems(pipe, PipeUser(pipe) { writer.cancel() })
    }
}

extension ClientStreamCall {
    /// Passes the caller's items to `serve` and returns its response.
    package static func inProcess(
        _ serve: @escaping @Sendable (IncomingItems<Request>) async throws -> Response
    ) -> ClientStreamCall<Request, Response> {
        let pipe = ItemPipe<Request>()
        let answer = Task {
            defer { pipe.end(.failure(ServiceError(.cancelled))) }
            return try await serve(IncomingItems(pipe))
        }
        let user = PipeUser(pipe) { answer.cancel() }
        return ClientStreamCall(OutgoingItems(pipe)) {
            defer { withExtendedLifetime(user) {} }
            return try await withTaskCancellationHandler {
                try await answer.value
            } onCancel: {
                answer.cancel()
            }
        }
    }
}

extension BidirectionalCall {
    /// Passes the caller's items to `serve` and returns the items that it writes.
    package static func inProcess(
        _ serve:
            @escaping @Sendable (IncomingItems<Request>, OutgoingItems<Response>) async throws
            -> Void
    ) -> BidirectionalCall<Request, Response> {
        let requests = ItemPipe<Request>()
        let incoming = IncomingItems<Response>.inProcess { outgoing in
            defer { requests.end(.failure(ServiceError(.cancelled))) }
            try await serve(IncomingItems(requests), outgoing)
        }
        return BidirectionalCall(outgoing: OutgoingItems(requests), incoming: incoming)
    }
}

extension ItemPipe {
    /// Ends the pipe when `body` returns or throws.
    fileprivate func endAfter(_ body: () async throws -> Void) async {
        do {
            try await body()
            finish()
        } catch {
            end(.failure(ServiceError(answering: error)))
        }
    }
}
