import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// The operations that tasks call, on the stream's loop or on any other thread.
extension CallStream {
    // MARK: Taking

    /// The items that have arrived, decoded. Call it on the loop.
    func take<Item>(
        _ decode: (UnsafeRawBufferPointer, Arena) throws -> Item
    ) -> CallStream.Taken<Item> {
        if inbox.count > 0 { return takeFromInbox(decode) }
        switch ending {
        case .answered: return .ended
        case .failed(let error): return .failed(error)
        case nil: return isIncomingEnded ? .ended : .nothing
        }
    }

    private func takeFromInbox<Item>(
        _ decode: (UnsafeRawBufferPointer, Arena) throws -> Item
    ) -> CallStream.Taken<Item> {
        let arena = carrier?.arena ?? Arena()
        let byteCount = inbox.byteCount
        do {
            let items = try inbox.take(
                max: FrameLimits.itemBatchMax, bytes: FrameLimits.itemBatchBytes
            ) { try decode($0, arena) }
            carrier?.consumed(items.count, byteCount: byteCount - inbox.byteCount, of: self)
            return .items(items)
        } catch {
            return .failed(ServiceError(.invalidArgument, detail: "broken item: \(error)"))
        }
    }

    /// Waits until there may be something to take.
    func waitForItems() async {
        let ticket = CallStream.Ticket()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                onLoop { $0.enqueue(Reader(ticket: ticket, wake: wake)) }
            }
        } onCancel: {
            callOff(ticket)
        }
    }

    private func enqueue(_ reader: Reader) {
        let isReady = inbox.count > 0 || ending != nil || isIncomingEnded
        if isReady || reader.ticket.isCancelled.load(ordering: .acquiring) {
            return reader.wake.resume()
        }
        readers.append(reader)
    }

    // MARK: The end

    /// Waits for the end of the call and returns the response's message.
    /// - Throws: the `ServiceError` with which the call failed; `cancelled` if the task was
    ///   cancelled.
    func answer() async throws -> [UInt8] {
        let ticket = CallStream.Ticket()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                onLoop { stream in
                    let isOver = stream.ending != nil
                    if isOver || ticket.isCancelled.load(ordering: .acquiring) {
                        return wake.resume()
                    }
                    stream.endWaiters.append(Reader(ticket: ticket, wake: wake))
                }
            }
        } onCancel: {
            callOff(ticket)
        }
        let ending = await withCheckedContinuation { continuation in
            onLoop { continuation.resume(returning: $0.ending) }
        }
        switch ending {
        case .answered(let payload): return payload
        case .failed(let error): throw error
        case nil: throw ServiceError(.cancelled)
        }
    }

    // MARK: Sending

    /// Sends an item as soon as credit and buffer capacity allow it.
    /// - Throws: `ServiceError` when the call has ended or the task was cancelled.
    func send(_ item: [UInt8]) async throws {
        let ticket = CallStream.Ticket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                onLoop { $0.enqueue(Writer(ticket: ticket, item: item, wake: wake)) }
            }
        } onCancel: {
            callOff(ticket)
        }
    }

    private func enqueue(_ writer: Writer) {
        if writer.ticket.isCancelled.load(ordering: .acquiring) {
            return writer.wake.resume(throwing: ServiceError(.cancelled))
        }
        switch sendNow(writer.item) {
        case .sent: return writer.wake.resume()
        case .failed(let error): return writer.wake.resume(throwing: error)
        case .noCredit: writers.append(writer)
        case .bufferFull:
            writers.append(writer)
            carrier?.waitForCapacity(self)
        }
    }

    // MARK: Giving up

    /// Handles the cancellation of the task that waits with `ticket`. At a client this abandons the
    /// whole call.
    private func callOff(_ ticket: CallStream.Ticket) {
        ticket.isCancelled.store(true, ordering: .releasing)
        loop.execute { [self] in
            giveUp?()
            if let place = readers.firstIndex(where: { $0.ticket === ticket }) {
                readers.remove(at: place).wake.resume()
            }
            if let place = endWaiters.firstIndex(where: { $0.ticket === ticket }) {
                endWaiters.remove(at: place).wake.resume()
            }
            if let place = writers.firstIndex(where: { $0.ticket === ticket }) {
                writers.remove(at: place).wake.resume(throwing: ServiceError(.cancelled))
            }
        }
    }

    /// Runs `body` on the loop, immediately if already there.
    func onLoop(_ body: @escaping @Sendable (CallStream) -> Void) {
        if loop.inEventLoop { return body(self) }
        loop.execute { [self] in body(self) }
    }
}
