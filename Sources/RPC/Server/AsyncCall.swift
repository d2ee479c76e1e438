import Messages
import NIOCore
import ServiceRuntime

/// A running call, as its task uses it: what it runs on, and how it ends. The task runs on the
/// connection's loop, so it accesses the connection directly; only debug builds check that.
///
/// It is a class, since a task and its handler share it: a copy of a struct would retain each part.
final class AsyncCall: @unchecked Sendable {
    let call: UInt64
    private let served: ServerConnection
    /// The stream; nil for a unary call.
    let stream: CallStream?
    /// The lane's limiter, where the call counts as running until its handler returns.
    let limiter: LaneLimiter
    /// Its metrics and trace.
    let observed: ObservedCall

    init(
        call: UInt64, connection: ServerConnection, stream: CallStream?,
        limiter: LaneLimiter, observed: ObservedCall
    ) {
        self.call = call
        served = connection
        self.stream = stream
        self.limiter = limiter
        self.observed = observed
    }

    /// The connection; only on its loop.
    private var connection: ServerConnection {
        served.resources.executor.loop.assertInEventLoop()
        return served
    }

    /// The connection's arena; valid only while frames are read.
    var arena: Arena { connection.resources.arena }
    /// What the task runs on.
    var executor: EventLoopTaskExecutor { connection.resources.executor }

    /// Responds with `response`.
    func finish(_ response: some WireEncoded) {
        stream?.end(.answered([]))
        limiter.leave()
        let (status, byteCount) = connection.finish(call, with: response)
        connection.recordReturn(of: observed, status, responseBytes: byteCount)
    }

    /// Responds after the last item of a server stream.
    func finish() {
        stream?.end(.answered([]))
        limiter.leave()
        connection.recordReturn(of: observed, connection.finish(call) ? .ok : nil)
    }

    /// Responds with the error that `error` maps to.
    func fail(_ error: any Error) {
        stream?.end(.failed(ServiceError(.cancelled)))
        limiter.leave()
        let isSent = connection.finish(call, throwing: error)
        connection.recordReturn(of: observed, isSent ? StatusCode(answering: error) : nil)
    }
}

extension ServerConnection {
    /// The state that a connection stores for a call whose handler has not returned.
    struct RunningCall: StreamHolder {
        let handler: RunningHandler
        let stream: CallStream?

        /// Cancels the handler and ends its stream with `error`.
        func stop(_ error: ServiceError) {
            switch handler {
            case .task(let task): task.cancel()
            case .passed(let call): call.cancel()
            }
            stream?.end(.failed(error))
        }
    }
}

/// A handler that has started and not returned.
enum RunningHandler {
    case task(Task<Void, Never>)
    /// The call was passed on to another service.
    case passed(PassedCall)
}
