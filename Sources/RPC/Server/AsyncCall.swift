import Messages
import NIOCore
import ServiceRuntime

/// A running call, as its task uses it: the executor that it runs on, and how it ends. The task
/// runs on the connection's loop, so it accesses the connection directly.
///
/// It is a class, since a task and its handler share it: a copy of a struct would retain each part.
final class AsyncCall: Sendable {
    let call: UInt64
    let executor: EventLoopTaskExecutor
    let connection: NIOLoopBound<ServerConnection>
    /// The stream; nil for a unary call.
    let stream: CallStream?
    /// The lane's limiter, where the call counts as running until its handler returns.
    let limiter: LaneLimiter
    /// Its metrics and trace.
    let observed: ObservedCall

    init(
        call: UInt64, executor: EventLoopTaskExecutor, connection: NIOLoopBound<ServerConnection>,
        stream: CallStream?, limiter: LaneLimiter, observed: ObservedCall
    ) {
        self.call = call
        self.executor = executor
        self.connection = connection
        self.stream = stream
        self.limiter = limiter
        self.observed = observed
    }

    /// The connection's arena; valid only while frames are read.
    var arena: Arena { connection.value.resources.arena }

    /// Responds with `response`.
    func finish(_ response: some ProtobufMessage) {
        stream?.end(.answered([]))
        limiter.leave()
        let connection = connection.value
        let byteCount = connection.finished(call, response)
        connection.returned(
            observed, byteCount == nil ? .resourceExhausted : .ok, responseBytes: byteCount ?? 0)
    }

    /// Responds after the last item of a server stream.
    func finish() {
        stream?.end(.answered([]))
        limiter.leave()
        connection.value.finished(call)
        connection.value.returned(observed, .ok)
    }

    /// Responds with the error that `error` maps to.
    func fail(_ error: any Error) {
        stream?.end(.failed(ServiceError(.cancelled)))
        limiter.leave()
        connection.value.failed(call, error)
        connection.value.returned(observed, StatusCode(answering: error))
    }
}

extension ServerConnection {
    /// The state that a connection stores for a call whose handler has not returned.
    struct RunningCall: StreamHolder {
        let task: Task<Void, Never>
        let stream: CallStream?

        /// Cancels the handler and ends its stream with `error`.
        func stop(_ error: ServiceError) {
            task.cancel()
            stream?.end(.failed(error))
        }
    }
}
