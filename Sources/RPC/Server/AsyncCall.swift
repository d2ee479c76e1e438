import Messages
import NIOCore
import ServiceRuntime

/// A running call as its task sees it: on which executor it runs, and how it ends. The task runs
/// on the connection's loop, so ending it touches the connection directly.
struct AsyncCall: Sendable {
    let call: UInt64
    let executor: EventLoopTaskExecutor
    let connection: NIOLoopBound<ServerConnection>
    /// What goes either way beside request and answer; nil for a unary call.
    let stream: CallStream?
    /// Where it counts as running until its handler has returned.
    let gate: LaneGate
    /// How it is counted and traced.
    let observed: ObservedCall

    /// The connection's arena; for the read turn only.
    var arena: Arena { connection.value.resources.arena }

    /// Answers with `response`.
    func finish(_ response: some ProtobufMessage) {
        stream?.end(.answered([]))
        gate.leave()
        let connection = connection.value
        let before = connection.out.readableBytes
        let fits = connection.finished(call, response)
        connection.returned(
            observed, fits ? .ok : .resourceExhausted,
            responseBytes: max(0, connection.out.readableBytes - before))
    }

    /// Answers that the items were all there is to say.
    func finish() {
        stream?.end(.answered([]))
        gate.leave()
        connection.value.finished(call)
        connection.value.returned(observed, .ok)
    }

    /// Answers with what `error` maps to.
    func fail(_ error: any Error) {
        stream?.end(.failed(ServiceError(.cancelled)))
        gate.leave()
        connection.value.failed(call, error)
        connection.value.returned(observed, StatusCode(answering: error))
    }
}

/// A call whose handler has not returned, as its connection holds it.
struct RunningCall: StreamHolder {
    let task: Task<Void, Never>
    let stream: CallStream?

    /// Tells the handler that nobody wants its answer, and why.
    func stop(_ error: ServiceError) {
        task.cancel()
        stream?.end(.failed(error))
    }
}
