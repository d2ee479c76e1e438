import RPC
import ServiceRuntime

extension ServerLimits {
    /// Declares the limits of a server that operators may change. The defaults are those of
    /// `ServerLimits`.
    init(reading settings: inout SettingsReader) {
        self.init()
        runningMax = settings.integer(
            "running-max", default: runningMax, in: 1...100_000, unit: "handlers",
            reason: "Calls that run at once, some 10 KiB each; above it they wait in a queue.")
        costlyRunningMax = settings.integer(
            "costly-running-max", default: costlyRunningMax, in: 1...100_000, unit: "handlers",
            reason: "The same for costly methods (sign-in), so that others keep capacity.")
        queueMax = settings.integer(
            "queue-max", default: queueMax, in: 0...100_000, unit: "calls",
            reason: "Calls that wait in each queue; above it they are rejected and may retry.")
        readConnections(&settings)
    }

    private mutating func readConnections(_ settings: inout SettingsReader) {
        connectionsMax = settings.integer(
            "connections-max", default: connectionsMax, in: 1...1_000_000, unit: "connections",
            reason: "Some 16 KiB each without TLS and 64 KiB with it; each is an open file too.")
        connectionsPerAddressMax = settings.integer(
            "connections-per-address-max", default: connectionsPerAddressMax,
            in: 1...1_000_000, unit: "connections",
            reason: "From one address or IPv6 /64; loopback is bounded by connections-max alone.")
        let age = settings.duration(
            "max-connection-age", default: .seconds(3_600), in: .zero ... .seconds(86_400 * 30),
            reason: "Then a connection is drained, so that callers spread over all instances and "
                + "authenticate again; a tenth more or less; 0 for never.")
        connectionAgeMax = age > .zero ? age : nil
        let idle = settings.duration(
            "max-connection-idle", default: .zero, in: .zero ... .seconds(86_400 * 30),
            reason: "Time without a call after which a connection is drained; 0 for never.")
        connectionIdleMax = idle > .zero ? idle : nil
    }
}
