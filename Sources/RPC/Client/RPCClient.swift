package import Messages
import NIOCore
package import NIOPosix
package import ServiceRuntime

/// Calls one service over TCP: one connection for each event loop, so that a handler's onward
/// calls stay on its own loop.
package final class RPCClient: CallChannel {
    let settings: ClientSettings
    let time: any Time
    private let links: PerLoop<ClientLink>
    private let group: MultiThreadedEventLoopGroup
    private let observed: ObservedTarget

    /// A client of the service that `settings` name; connects when first used.
    package init(
        _ settings: ClientSettings, group: MultiThreadedEventLoopGroup, time: any Time,
        randomness: any Randomness, observation: ClientObservation = ClientObservation()
    ) {
        observed = observation.target(settings.service)
        self.settings = settings
        self.time = time
        self.group = group
        links = PerLoop(group) { loop in
            ClientLink(settings, loop, time: time, randomness: randomness)
        }
    }

    /// A context for a call that starts here and may take `timeout`.
    package func context(timeout: Duration, metadata: Metadata = Metadata()) -> CallContext {
        CallContext(deadline: time.uptime() + timeout, metadata: metadata)
    }

    package func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        try await observed.call(method.name, context, time) { context in
            try await raw(
                method.name, isIdempotent: method.isIdempotent, request.encoded(), context
            ) { answer in try Response(decoding: answer.payload, in: answer.arena) }
        }
    }

    /// Calls a method by its name with a packed request, for tools that know it by reflection.
    package func call(
        _ method: String, payload: [UInt8], _ context: CallContext
    ) async throws -> [UInt8] {
        try await observed.call(method, context, time) { context in
            try await raw(method, isIdempotent: false, payload, context) { Array($0.payload) }
        }
    }

    /// Closes the connections.
    package func close() {
        for loop in group.makeIterator() { on(loop) { $0.close() } }
    }

    // MARK: Tries

    /// Sends the call again when that is safe: once when the server has not begun it, and up to
    /// twice when doing it twice does what doing it once does.
    private func raw<Answer: Sendable>(
        _ method: String, isIdempotent: Bool, _ payload: [UInt8], _ context: CallContext,
        _ decode: @escaping @Sendable (LentAnswer) throws -> Answer
    ) async throws -> Answer {
        let outgoing = OutgoingRequest(method: method, metadata: context.metadata, payload: payload)
        let isRepeatable = isIdempotent || context.idempotencyKey != nil
        var resends = 0
        while true {
            do {
                return try await once(outgoing, context, decode)
            } catch let error as ServiceError {
                let isWorthIt =
                    error.code == .unavailable && error.retryAfter == nil
                    && time.uptime() < context.deadline
                    && (error.notProcessed ? resends < 1 : isRepeatable && resends < 2)
                guard isWorthIt else { throw error.afterACall }
                resends += 1
            }
        }
    }

    private func once<Answer: Sendable>(
        _ request: OutgoingRequest, _ context: CallContext,
        _ decode: @escaping @Sendable (LentAnswer) throws -> Answer
    ) async throws -> Answer {
        let loop = loopOfCall
        let call = CallSlot()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let connectDue = time.uptime() + settings.connectPatience
                on(loop) { link in
                    let pending = PendingCall(
                        request, deadline: context.deadline, connectDue: connectDue
                    ) { result in
                        if case .success = result { link.succeeded() }
                        continuation.resume(with: Result { try decode(result.get()) })
                    }
                    guard call.begin(pending) else {
                        return pending.fail(ServiceError(.cancelled))
                    }
                    link.start(pending)
                }
            }
        } onCancel: {
            on(loop) { call.cancel(on: $0) }
        }
    }

    /// A handler calls from its own loop and stays there; a tool or a worker takes any.
    var loopOfCall: any EventLoop {
        let current = MultiThreadedEventLoopGroup.currentEventLoop
        let isOurs = current.map { loop in group.makeIterator().contains { $0 === loop } } ?? false
        return (isOurs ? current : nil) ?? group.next()
    }

    /// Runs `body` with the loop's link: at once when already there.
    func on(_ loop: any EventLoop, _ body: @escaping @Sendable (ClientLink) -> Void) {
        if loop.inEventLoop { return body(links[loop]) }
        loop.execute { [links] in body(links[loop]) }
    }
}

/// Carries a call from where it begins to where it is cancelled.
private final class CallSlot: @unchecked Sendable {
    // `@unchecked`: both methods run only on the loop that the call was begun on.
    private var pending: PendingCall?
    private var isCancelled = false

    func begin(_ call: PendingCall) -> Bool {
        pending = call
        return !isCancelled
    }

    func cancel(on link: ClientLink) {
        isCancelled = true
        if let pending { link.cancel(pending) }
    }
}

extension ServiceError {
    /// The error as the caller's own: the peer may not have begun its call, but whoever made that
    /// call has begun, and a handler that hands this on must not tell its caller to try elsewhere.
    fileprivate var afterACall: ServiceError {
        notProcessed
            ? ServiceError(code, retryAfter: retryAfter, fields: fields, detail: detail) : self
    }
}
