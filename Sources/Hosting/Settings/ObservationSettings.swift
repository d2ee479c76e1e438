import ServiceRuntime

/// What a program shows of its calls beside its metrics.
package struct ObservationSettings: Sendable {
    /// Calls that take this long are noted in the log.
    package let slowCall: Duration
    /// Where spans are sent; nil: nobody makes any.
    package let collector: CollectorAddress?
    /// Which part of the traces that begin here is recorded, 0 … 1.
    package let sampling: Double

    init(reading settings: inout SettingsReader) {
        slowCall = settings.duration(
            "slow-call", default: .seconds(1), in: .milliseconds(1)...(.seconds(3_600)),
            reason: "A call that takes longer is noted in the log, with its method and trace.")
        let endpoint = settings.optionalString(
            "trace-endpoint", unit: "URL",
            reason: "Spans go there as OTLP JSON, to http://HOST:4318 for instance; not set: none.")
        collector = endpoint.flatMap { CollectorAddress($0) }
        settings.require(
            endpoint == nil || collector != nil, ["trace-endpoint"],
            "must be http://HOST:PORT of a collector nearby, which forwards by TLS")
        sampling = settings.fraction(
            "trace-sampling", default: 1,
            reason: "The part of the traces begun here that is recorded; callers decide for theirs."
        )
    }
}
