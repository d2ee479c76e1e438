import CoreMetrics
import Messages
import NIOCore

/// A running call as its task sees it: on which executor it runs, and how it ends. The task runs
/// on the connection's loop, so ending it touches the connection directly.
struct AsyncCall: Sendable {
    let call: UInt64
    let executor: EventLoopTaskExecutor
    let connection: NIOLoopBound<ServerConnection>
    /// Counts the calls of this method that were answered OK.
    let answered: Counter
    /// Where it counts as running until its handler has returned.
    let gate: LaneGate

    /// The connection's arena; for the read turn only.
    var arena: Arena { connection.value.resources.arena }

    /// Answers with `response`.
    func finish(_ response: some ProtobufMessage) {
        answered.increment()
        gate.leave()
        connection.value.finished(call, response)
    }

    /// Answers with what `error` maps to.
    func fail(_ error: any Error) {
        gate.leave()
        connection.value.failed(call, error)
    }
}
