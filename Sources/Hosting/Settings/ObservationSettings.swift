import ServiceRuntime

/// The settings of slow call logs and traces.
package struct ObservationSettings: Sendable {
    /// Calls that take at least this long are logged.
    package let slowCall: Duration
    /// The collector of spans. Nil: no spans are created.
    package let collector: CollectorAddress?
    /// The fraction of the traces started here that is recorded, 0 … 1.
    package let sampling: Double

    init(reading settings: inout SettingsReader) {
        slowCall = settings.duration(
            "slow-call", default: .seconds(1), in: .milliseconds(1)...(.seconds(3_600)),
            reason: "A call that takes longer is logged with its method and trace.")
        let endpoint = settings.optionalString(
            "trace-endpoint", unit: "URL",
            reason: "Spans go there as OTLP JSON, to http://HOST:4318 for instance; not set: none.")
        collector = endpoint.flatMap { CollectorAddress($0) }
        settings.require(
            endpoint == nil || collector != nil, ["trace-endpoint"],
            "must be http://HOST:PORT of a collector nearby, which forwards with TLS")
        sampling = settings.fraction(
            "trace-sampling", default: 1,
            reason: "The fraction of traces started here to be recorded; callers decide for theirs."
        )
    }
}
