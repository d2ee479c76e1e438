package import CoreMetrics
package import Logging
package import Messages
import NIOCore
package import NIOPosix
package import ServiceRuntime

/// Calls one service over TCP. It has one connection for each of the service's addresses and each
/// event loop, so that the calls a handler makes stay on its own loop.
package final class RPCClient: CallChannel {
    let settings: ClientSettings
    let time: any Time
    private let pools: PerLoop<ClientPool>
    private let group: MultiThreadedEventLoopGroup
    let observed: ClientObservation.Target

    /// A client of the service in `settings`; connects at the first call. It reports retries,
    /// hedges and failures of peers to `metrics` and `logger`.
    package init(
        _ settings: ClientSettings, group: MultiThreadedEventLoopGroup, time: any Time,
        randomness: any Randomness, logger: Logger = .silent,
        metrics: any MetricsFactory = MetricsSystem.factory,
        resolver: any HostResolver = SystemResolver(),
        observation: ClientObservation = ClientObservation()
    ) {
        observed = observation.target(settings.service)
        self.settings = settings
        self.time = time
        self.group = group
        let reports = ClientReports(service: settings.service, metrics: metrics, logger: logger)
        pools = PerLoop(group) { loop in
            ClientPool(
                settings, loop, time: time, randomness: randomness, reports: reports,
                resolver: resolver)
        }
    }

    /// The short name of a service, used in health and errors: `session` for `postern.session`.
    package static func partName(of service: String) -> String {
        let prefix = "postern."
        return service.hasPrefix(prefix) ? String(service.dropFirst(prefix.count)) : service
    }

    /// A context for a call that originates here, with a timeout.
    package func context(timeout: Duration, metadata: Metadata = Metadata()) -> CallContext {
        CallContext(deadline: time.uptime() + timeout, metadata: metadata)
    }

    /// Sends a unary request and returns the response.
    /// - Throws: `ServiceError`, from the peer or the transport, after the last try.
    package func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ context: CallContext
    ) async throws -> Response {
        try await observed.call(method.name, context, time) { context in
            try await raw(
                method, OutgoingRequest.Payload(request, of: method), context
            ) { answer in
                try peersAnswer { try Response.decode(answer.payload, in: answer.arena) }
            }
        }
    }

    /// Calls a unary method with a packed request, for a program that relays calls and for tools
    /// that use reflection: with the method's retries, hedges and treatment of secrets.
    /// - Throws: `ServiceError`, from the peer or the transport, after the last try.
    package func call(
        _ method: MethodDescription, packed payload: OutgoingRequest.Payload,
        _ context: CallContext
    ) async throws -> [UInt8] {
        try await observed.call(method.name, context, time) { context in
            try await raw(method, payload, context) { Array($0.payload) }
        }
    }

    /// Calls a unary method on the current event loop, without a task.
    /// - Parameter complete: Gets the result, on the same loop; it may be called before this returns.
    /// - Returns: nil, and no call is made, if the current thread is none of the client's loops.
    func pass(
        _ method: MethodDescription, _ payload: OutgoingRequest.Payload, _ context: CallContext,
        _ complete: @escaping (Result<BorrowedResponse, ServiceError>) -> Void
    ) -> PassedCall? {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop, pools.has(loop) else {
            return nil
        }
        let (seen, context) = observed.begin(method.name, context, time)
        let request = OutgoingRequest(
            method: method.name, metadata: context.metadata, payload: payload)
        let tries = CallTries(
            pools[loop], request, deadline: context.deadlineForPeers,
            isCallersDeadline: context.isCallersDeadline,
            isRepeatable: Self.isRepeatable(method, context)
        ) { [time] result in
            seen.end(result.status, time)
            complete(result)
        }
        tries.begin(hedgeAfter: method.isIdempotent ? method.hedgeAfter : nil)
        return PassedCall(tries: tries)
    }

    private static func isRepeatable(_ method: MethodDescription, _ context: CallContext) -> Bool {
        method.isIdempotent || context.idempotencyKey != nil
    }

    /// Closes the connections.
    package func close() {
        for loop in group.makeIterator() { on(loop) { $0.close() } }
    }

    private func raw<Answer: Sendable>(
        _ method: MethodDescription, _ payload: OutgoingRequest.Payload, _ context: CallContext,
        _ decode: @escaping @Sendable (BorrowedResponse) throws -> Answer
    ) async throws -> Answer {
        let request = OutgoingRequest(
            method: method.name, metadata: context.metadata, payload: payload)
        let isRepeatable = Self.isRepeatable(method, context)
        let hedgeAfter = method.isIdempotent ? method.hedgeAfter : nil
        let loop = loopOfCall
        let slot = CallSlot()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                on(loop) { pool in
                    let tries = CallTries(
                        pool, request, deadline: context.deadlineForPeers,
                        isCallersDeadline: context.isCallersDeadline, isRepeatable: isRepeatable
                    ) { result in
                        continuation.resume(with: Result { try decode(result.get()) })
                    }
                    guard slot.begin(tries) else {
                        return tries.giveUp(ServiceError(.cancelled, notProcessed: true))
                    }
                    tries.begin(hedgeAfter: hedgeAfter)
                }
            }
        } onCancel: {
            on(loop) { _ in slot.cancel() }
        }
    }

    /// The current event loop if it is one of the group's, so that a handler's calls stay on its
    /// loop; otherwise any loop.
    var loopOfCall: any EventLoop {
        guard let current = MultiThreadedEventLoopGroup.currentEventLoop, pools.has(current) else {
            return group.next()
        }
        return current
    }

    /// Runs `body` with the loop's pool, immediately if already on the loop.
    func on(_ loop: any EventLoop, _ body: @escaping @Sendable (ClientPool) -> Void) {
        if loop.inEventLoop { return body(pools[loop]) }
        loop.execute { [pools] in body(pools[loop]) }
    }
}

extension Logger {
    /// A logger that writes nothing, for tools and measurements.
    package static var silent: Logger {
        Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    }
}

/// A call that was passed on and has no answer yet. Only on its event loop.
struct PassedCall {
    fileprivate let tries: CallTries

    func cancel() { tries.cancel() }
}

extension RPCClient {
    /// Connects a call's start with its cancellation.
    private final class CallSlot: @unchecked Sendable {
        // `@unchecked`: both methods run only on the loop on which the call was started.
        private var tries: CallTries?
        private var isCancelled = false

        func begin(_ tries: CallTries) -> Bool {
            self.tries = tries
            return !isCancelled
        }

        func cancel() {
            isCancelled = true
            tries?.cancel()
        }
    }
}
