import Messages
import NIOCore
import ServiceRuntime

/// A running call as its task sees it: on which executor it runs, and how it ends. The task runs
/// on the connection's loop, so ending it touches the connection directly.
struct AsyncCall: Sendable {
    let call: UInt64
    let executor: EventLoopTaskExecutor
    let connection: NIOLoopBound<ServerConnection>
    /// How it is counted and traced.
    let observed: ObservedCall

    /// The connection's arena; for the read turn only.
    var arena: Arena { connection.value.resources.arena }

    /// Answers with `response`.
    func finish(_ response: some ProtobufMessage) {
        let connection = connection.value
        let before = connection.out.readableBytes
        let fits = connection.finished(call, response)
        connection.ended(
            observed, fits ? .ok : .resourceExhausted,
            responseBytes: max(0, connection.out.readableBytes - before))
    }

    /// Answers with what `error` maps to.
    func fail(_ error: any Error) {
        connection.value.failed(call, error)
        connection.value.ended(observed, StatusCode(answering: error))
    }
}
