import Logging
import NIOPosix
import RPC
import ServiceRuntime
import Tracing

/// Metrics and traces of a program's calls. Created once, from the settings, for its server and its
/// clients.
struct HostObservation: Sendable {
    /// For the calls that the program serves.
    let server: ServerObservation
    /// For the calls that the program makes.
    let client: ClientObservation
    /// Exports the spans to the collector. Nil without a collector.
    let exporter: SpanExporter?

    /// Metrics that are not exported, for a host outside a program.
    init() {
        server = ServerObservation()
        client = ClientObservation()
        exporter = nil
    }

    /// Observation as the settings configure it, exported by `metrics`. With a collector, it sets
    /// the tracer, of which a process has only one.
    init(
        _ settings: ObservationSettings, of description: ProgramDescription,
        metrics: MetricsRegistry, group: MultiThreadedEventLoopGroup, time: any Time,
        randomness: any Randomness, logger: Logger
    ) {
        var tracing: CallTracing?
        if let collector = settings.collector {
            let queue = SpanQueue()
            let tracer = SpanTracer(
                sampling: settings.sampling, queue: queue, time: time, randomness: randomness)
            InstrumentationSystem.bootstrap(tracer)
            tracing = CallTracing(tracer, time: time)
            exporter = SpanExporter(
                queue, to: collector, service: description.service, group: group, time: time,
                logger: logger)
            metrics.add(queue)
        } else {
            exporter = nil
        }
        server = ServerObservation(
            tracing: tracing, slowCalls: SlowCallLog(threshold: settings.slowCall, logger: logger))
        client = ClientObservation(tracing: tracing)
        metrics.add(server)
        metrics.add(client)
        metrics.add(
            ProcessFigures(
                program: description.program, version: ProductVersion.text, time: time))
    }
}
