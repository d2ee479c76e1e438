import ServiceRuntime
import Tracing

/// The metrics, trace and slow-call log entry of a call that a server has started.
struct ObservedCall: Sendable {
    /// A method that streams, or whose default timeout is longer than this, waits for events
    /// (`Watch`); its calls are never logged as slow.
    static let waitingLonger = Duration.seconds(60)

    /// The method's index in the method table.
    let method: Int
    let beganAt: Duration
    let deadline: Duration
    let metadata: Metadata
    let mayTakeLong: Bool
    /// Nil without a tracer.
    let traced: TracedCall?

    /// Runs `body` in the trace's context, if there is one.
    /// - Throws: what `body` throws.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let traced else { return try body() }
        return try ServiceContext.withValue(traced.context, operation: body)
    }

    /// The id of the call's trace, if the caller sent one or a tracer started one.
    var trace: String? { (traced?.traceParent ?? metadata.traceParent)?.traceID }
}

extension ServerConnection {
    /// Counts the start of a call whose handler is about to run.
    func observe(
        _ entry: MethodTable.Entry, _ context: CallContext, requestBytes: Int
    ) -> ObservedCall {
        counts.figures.methods[entry.index].began(requestBytes: requestBytes)
        let method = entry.handler.method
        return ObservedCall(
            method: entry.index, beganAt: eventUptime, deadline: context.deadline,
            metadata: context.metadata,
            mayTakeLong: method.streams != .none || method.timeout > ObservedCall.waitingLonger,
            traced: shared.observation.isTraced ? traced(method.name, context) : nil)
    }

    private func traced(_ method: String, _ context: CallContext) -> TracedCall? {
        shared.observation.tracing?.served(method, context, at: eventUptime)
    }

    /// The handler's task has returned. A cancelled one was answered before: as cancelled or, after
    /// its deadline, as `deadlineExceeded`.
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
