import Logging
import NIOPosix
import RPC
import ServiceRuntime
import Tracing

/// What a program shows of its calls: made once, from the settings, for its server and clients.
struct HostObservation: Sendable {
    /// Of the calls that it serves.
    let server: ServerObservation
    /// Of the calls that it makes.
    let client: ClientObservation
    /// Carries the spans to the collector, where there is one.
    let exporter: SpanExporter?

    /// Metrics alone, shown by nobody: for a host that is not a program's.
    init() {
        server = ServerObservation()
        client = ClientObservation()
        exporter = nil
    }

    /// What the settings say, shown in `metrics`. With a collector the program gets its tracer,
    /// which there is one of in a process.
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
