import Messages
import NIOCore
import ServiceRuntime

/// How a server connection starts streaming calls, and ends all its calls.
extension ServerConnection: StreamConnection {
    var arena: Arena { resources.arena }

    /// Starts a streaming call.
    func beginStream(
        _ head: RequestHead, _ method: MethodDescription, _ deadline: Duration,
        _ loop: any EventLoop
    ) -> CallStream {
        let credit = machine.began(
            head.call, deadline: deadline, streams: method.streams, more: head.more,
            isWatch: method.isWatch)
        let stream = CallStream(loop)
        stream.begin(self, as: head.call, credit)
        if !head.more { stream.endIncoming() }
        return stream
    }

    /// Ends all calls, because the connection has ended.
    func stopAll(_ reason: String) {
        let error = ServiceError(.cancelled, detail: reason)
        for running in machine.close() { running.stop(error) }
        forgetAllWaiting()
    }
}
