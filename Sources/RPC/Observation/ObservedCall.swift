import ServiceRuntime
import Tracing

/// A call that a server has begun, as metrics, traces and the slow-call log see it.
struct ObservedCall: Sendable {
    /// A method that streams, or whose calls may last longer than this by default, waits for news
    /// (`Watch`): none of its calls is slow.
    static let waitingLonger = Duration.seconds(60)

    /// Its place in the method table.
    let method: Int
    let beganAt: Duration
    let deadline: Duration
    let metadata: Metadata
    let mayTakeLong: Bool
    /// Nil where no tracer is set up.
    let traced: TracedCall?

    /// Runs `body` in the trace's context, where there is one.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let traced else { return try body() }
        return try ServiceContext.withValue(traced.context, operation: body)
    }

    /// The id of the trace that the call belongs to, if it came with one or a tracer began one.
    var trace: String? { (traced?.traceParent ?? metadata.traceParent)?.traceID }
}

extension ServerConnection {
    /// A handler is about to be given a call.
    func observe(
        _ entry: MethodTable.Entry, _ context: CallContext, requestBytes: Int
    ) -> ObservedCall {
        counts.figures.methods[entry.index].began(requestBytes: requestBytes)
        let method = entry.handler.method
        return ObservedCall(
            method: entry.index, beganAt: turnUptime, deadline: context.deadline,
            metadata: context.metadata,
            mayTakeLong: method.streams != .none || method.timeout > ObservedCall.waitingLonger,
            traced: shared.observation.isTraced ? traced(method.name, context) : nil)
    }

    private func traced(_ method: String, _ context: CallContext) -> TracedCall? {
        shared.observation.tracing?.served(method, context, at: turnUptime)
    }

    /// The handler of a task has returned. One that was told to stop had been answered before: as
    /// cancelled, or, at its deadline, as late.
    func returned(_ call: ObservedCall, _ status: StatusCode, responseBytes: Int = 0) {
        var status = status
        if Task.isCancelled {
            status = shared.time.uptime() >= call.deadline ? .deadlineExceeded : .cancelled
        }
        ended(call, status, responseBytes: responseBytes)
    }

    /// A handler has returned.
    func ended(_ call: ObservedCall, _ status: StatusCode, responseBytes: Int = 0) {
        guard counts.ended(call, status, responseBytes: responseBytes) else { return }
        let uptime = shared.time.uptime()
        counts.took(call, status, until: uptime)
        call.traced?.end(status, at: uptime)
    }
}
