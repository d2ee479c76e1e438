import CoreMetrics
import Messages
import NIOCore
import ServiceRuntime

/// A running call as its task sees it: on which executor it runs, and how it ends. The task runs
/// on the connection's loop, so ending it touches the connection directly.
struct AsyncCall: Sendable {
    let call: UInt64
    let executor: EventLoopTaskExecutor
    let connection: NIOLoopBound<ServerConnection>
    /// Counts the calls of this method that were answered OK.
    let answered: Counter
    /// What goes either way beside request and answer; nil for a unary call.
    let stream: CallStream?
    /// Where it counts as running until its handler has returned.
    let gate: LaneGate

    /// The connection's arena; for the read turn only.
    var arena: Arena { connection.value.resources.arena }

    /// Answers with `response`.
    func finish(_ response: some ProtobufMessage) {
        answered.increment()
        stream?.end(.answered([]))
        gate.leave()
        connection.value.finished(call, response)
    }

    /// Answers that the items were all there is to say.
    func finish() {
        answered.increment()
        stream?.end(.answered([]))
        gate.leave()
        connection.value.finished(call)
    }

    /// Answers with what `error` maps to.
    func fail(_ error: any Error) {
        stream?.end(.failed(ServiceError(.cancelled)))
        gate.leave()
        connection.value.failed(call, error)
    }
}

/// A call whose handler has not returned, as its connection holds it.
struct RunningCall {
    let task: Task<Void, Never>
    let stream: CallStream?

    /// Tells the handler that nobody wants its answer, and why.
    func stop(_ error: ServiceError) {
        task.cancel()
        stream?.end(.failed(error))
    }
}
