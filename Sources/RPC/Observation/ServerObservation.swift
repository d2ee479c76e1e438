package import ServiceRuntime
import Synchronization
import Tracing

/// The metrics, traces and slow-call log of a server: calls by method and status, their durations,
/// bytes and errors; spans if there is a tracer.
///
/// Each event loop has its own counters (`LoopCounts`), created with the method table; they are
/// added up only when the metrics are read. A method's name becomes a label only if the server
/// serves it, so a client cannot create time series by inventing names.
package final class ServerObservation: MetricSource {
    let tracing: CallTracing?
    /// Checked at each call: reading `tracing` would copy it.
    let isTraced: Bool
    private let slowCalls: SlowCallLog?
    private let state = Mutex(State())

    private struct State {
        var methods: [String] = []
        var loops: [LoopCounts.Figures] = []
        var connectionCount: @Sendable () -> Int = { 0 }
    }

    /// The observation of one server.
    /// - Parameters:
    ///   - tracing: makes the spans; without it there are none, at no cost.
    ///   - slowCalls: logs the slow calls; nil for no log.
    package init(tracing: CallTracing? = nil, slowCalls: SlowCallLog? = nil) {
        self.tracing = tracing
        isTraced = tracing != nil
        self.slowCalls = slowCalls
    }

    /// The server has started.
    func begin(methods: [String], connectionCount: @escaping @Sendable () -> Int) {
        state.withLock { state in
            state.methods = methods
            state.connectionCount = connectionCount
        }
    }

    /// The counters of the loop of `resources`; call it on that loop.
    func counts(for resources: LoopResources) -> LoopCounts {
        if let counts = resources.counts { return counts }
        let counts = LoopCounts(methods: state.withLock { $0.methods }, slowCalls: slowCalls)
        resources.counts = counts
        let figures = counts.figures
        state.withLock { $0.loops.append(figures) }
        return counts
    }

    /// Writes the metric families `rpc_…`.
    package func write(to page: inout MetricsPage) {
        let (methods, loops, connectionCount) = state.withLock {
            ($0.methods, $0.loops, $0.connectionCount)
        }
        for (index, name) in methods.enumerated() {
            var sums = MethodCounts.Sums()
            for loop in loops { loop.methods[index].add(to: &sums) }
            let labels = [("method", name)]
            sums.write("rpc", labels, to: &page)
            page.counter("rpc_request_bytes_total", Double(sums.requestBytes), labels)
            page.counter("rpc_response_bytes_total", Double(sums.responseBytes), labels)
        }
        for code in ErrorCode.allCases { Self.write(code, loops, to: &page) }
        let received = loops.reduce(0) { $0 &+ $1.receivedBytes.count }
        let sent = loops.reduce(0) { $0 &+ $1.sentBytes.count }
        page.counter("rpc_received_bytes_total", Double(received))
        page.counter("rpc_sent_bytes_total", Double(sent))
        page.gauge("rpc_connections", Double(connectionCount()))
    }

    private static func write(
        _ code: ErrorCode, _ loops: [LoopCounts.Figures], to page: inout MetricsPage
    ) {
        var (all, notProcessed): (Int64, Int64) = (0, 0)
        for loop in loops {
            let refusals = loop.refusals(code)
            all &+= refusals.all
            notProcessed &+= refusals.notProcessed
        }
        let labels = [("code", code.rawValue)]
        if all > 0 { page.counter("rpc_errors_total", Double(all), labels) }
        if notProcessed > 0 { page.counter("rpc_refusals_total", Double(notProcessed), labels) }
    }
}

/// The metrics, trace and slow-call log entry of a call that a server has started.
struct ObservedCall: Sendable {
    /// The method's index in the method table.
    let method: Int
    let beganAt: Duration
    let deadline: Duration
    let metadata: Metadata
    let mayTakeLong: Bool
    /// Nil without a tracer.
    let traced: CallTracing.TracedCall?

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
        return ObservedCall(
            method: entry.index, beganAt: eventUptime, deadline: context.deadline,
            metadata: context.metadata, mayTakeLong: entry.mayTakeLong,
            traced: shared.observation.isTraced
                ? traced(entry.handler.method.name, context) : nil)
    }

    private func traced(_ method: String, _ context: CallContext) -> CallTracing.TracedCall? {
        shared.observation.tracing?.served(method, context, at: eventUptime)
    }

    /// Counts the end of a call whose handler's task has returned.
    /// - Parameter status: nil if the call had been answered before: as cancelled or, after its
    ///   deadline, as `deadlineExceeded`.
    func recordReturn(of call: ObservedCall, _ status: StatusCode?, responseBytes: Int = 0) {
        recordEnd(of: call, status ?? statusOfStopped(call), responseBytes: responseBytes)
    }

    private func statusOfStopped(_ call: ObservedCall) -> StatusCode {
        shared.time.uptime() >= call.deadline ? .deadlineExceeded : .cancelled
    }

    /// Counts the end of a call.
    func recordEnd(of call: ObservedCall, _ status: StatusCode, responseBytes: Int = 0) {
        guard counts.recordEnd(of: call, status, responseBytes: responseBytes) else { return }
        let uptime = shared.time.uptime()
        counts.recordDuration(of: call, status, until: uptime)
        call.traced?.end(status, at: uptime)
    }
}
