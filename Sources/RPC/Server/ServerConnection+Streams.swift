import Messages
import NIOCore
import ServiceRuntime

/// How a server connection begins calls with streams, and ends all calls.
extension ServerConnection: StreamConnection {
    var arena: Arena { resources.arena }

    /// Begins a call with streams.
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

    /// The connection is over for all its calls.
    func stopAll(_ reason: String) {
        let error = ServiceError(.cancelled, detail: reason)
        for running in machine.close() { running.stop(error) }
        forgetAllWaiting()
    }
}
