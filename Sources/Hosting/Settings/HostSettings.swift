import NIOCore
package import RPC
package import ServiceRuntime

/// The settings that all programs share. A program without an `RPCServer` does not read those of
/// its admission control, callers and stores.
package struct HostSettings: Sendable {
    /// The address to listen on.
    package var listenHost = "127.0.0.1"
    /// The port to listen on. With 0, the system picks one.
    package var listenPort: Int
    /// The address to listen on for metrics and health.
    package var metricsHost = "127.0.0.1"
    /// The port for metrics and health. With 0, the system picks one.
    package var metricsPort: Int
    /// Whether to accept connections without TLS beyond loopback.
    package var plaintext = Plaintext.loopback
    /// The server's limits on load.
    package var limits = ServerLimits()
    /// The number of event loops, each with a thread.
    package var loops = 1
    /// The folder of the store, and of what the service keeps in files beside it.
    package var dataFolder = ".postern/data"
    /// Where the store is.
    package var store = StoreSettings()
    /// Whether to accept the machine's clock even if the store's mark contradicts it.
    package var acceptsClock = false
    /// How long rows of the store's audit trail are kept.
    package var auditRetention: Duration = .seconds(730 * 86_400)
    /// The folder of the master keys.
    package var keysFolder = ".postern/keys"
    /// The folder of the callers' public keys, `<application>.<key id>.pub`, and of this program's
    /// own key.
    package var applicationsFolder = ".postern/keys/applications"
    /// Whether applications other than our own may authenticate with a secret that the server
    /// shares.
    package var acceptsSharedKeys = true
    /// The applications that may call the program.
    package var callers: [String] = []
    /// Those of them that may assert their users' addresses.
    package var addressAsserters: [String] = []
    /// Certificates, and the list of callers where it is a file.
    package var credentials = CredentialSettings()
    /// The lowest level of log lines to write.
    package var logLevel = LogLevel.info
    /// The observation of calls.
    package var observation = ObservationSettings()
    /// The file for the ports in use.
    package var portFile: String?
    /// Whether the program stops when its standard input closes.
    package var isTiedToInput = false

    init(reading settings: inout SettingsReader, _ program: ProgramDescription) {
        listenPort = program.port
        metricsPort = program.port + 10
        readListeners(&settings)
        limits = ServerLimits(reading: &settings, program)
        settings.integer(
            "event-loops", &loops, in: 1...64, unit: "threads",
            reason: "One carries about half a million calls a second.")
        if program.hasRPCServer { readStore(&settings, program) }
        settings.path(
            "keys-folder", &keysFolder, use: program.hasStore ? .ownKeys : .untried,
            reason: "Master keys, one file each; those missing are made at the first start.")
        settings.path(
            "applications-folder", &applicationsFolder, use: .keys,
            reason: "Public halves of callers, NAME.KEYID.pub, and this one's own NAME.KEYID.key.")
        if program.hasRPCServer { readCallers(&settings, program) }
        credentials = CredentialSettings(
            reading: &settings, hasRPCServer: program.hasRPCServer)
        settings.choice("log-level", &logLevel, reason: "Lines below it are not written.")
        observation = ObservationSettings(reading: &settings)
        portFile = settings.optionalPath(
            "port-file", use: .untried,
            reason: "Written once ready: the two ports in use, one per line.")
        settings.boolean(
            "stop-with-input", &isTiedToInput,
            reason: "Stops when standard input closes, so that children end with their parent.")
        settings.require(
            addressAsserters.allSatisfy(callers.contains), ["client-address-from", "callers"],
            "applications that may assert addresses must be callers")
        // A name is resolved at the start only.
        let address = try? SocketAddress(ipAddress: listenHost, port: 0)
        settings.require(
            address?.isLoopback ?? true || credentials.certificate != nil
                || plaintext == .trustedNetwork, ["listen-host", "plaintext"],
            RPCServer.ListenError.beyondLoopback)
    }

    private mutating func readListeners(_ settings: inout SettingsReader) {
        settings.string(
            "listen-host", &listenHost, unit: "address",
            reason: "Beyond loopback the system refuses to start without TLS; see plaintext.")
        settings.integer(
            "listen-port", &listenPort, in: 0...65_535, unit: "port",
            reason: "Where callers connect; 0 lets the system pick.")
        settings.string(
            "metrics-host", &metricsHost, unit: "address",
            reason: "Metrics and health need no secret, so they stay local.")
        settings.integer(
            "metrics-port", &metricsPort, in: 0...65_535, unit: "port",
            reason: "Prometheus text at /metrics, readiness at /readyz; 0 lets the system pick.")
        settings.choice(
            "plaintext", &plaintext,
            reason: "trusted-network allows listening beyond loopback without TLS.")
    }

    private mutating func readStore(
        _ settings: inout SettingsReader, _ program: ProgramDescription
    ) {
        settings.path(
            "data-folder", &dataFolder, use: program.hasStore ? .store : .untried,
            reason: "The store lives here, and what a service keeps in files beside it.")
        if program.hasStore { store = StoreSettings(reading: &settings, program) }
        settings.boolean(
            "accept-clock", &acceptsClock,
            reason: "For one start of all services: accepts a clock that a store finds wrong.")
        settings.duration(
            "audit-kept", &auditRetention,
            in: .seconds(30 * 86_400)...(.seconds(3_660 * 86_400)),
            reason: "How long rows of the audit trail are kept (I-08).")
    }

    private mutating func readCallers(
        _ settings: inout SettingsReader, _ program: ProgramDescription
    ) {
        settings.boolean(
            "accept-shared-keys", &acceptsSharedKeys,
            reason: "Accepts older HMAC keys of callers, never our programs'; false once none "
                + "is left.")
        callers = program.callers
        settings.strings(
            "callers", &callers, unit: "application",
            reason: "The applications that may call; an empty list allows none.")
        // A list of callers from before the web service existed remains valid.
        addressAsserters = program.addressAsserters.filter {
            !program.webServices.contains($0) || callers.contains($0)
        }
        settings.strings(
            "client-address-from", &addressAsserters, unit: "application",
            reason: "Applications that may assert their users' addresses, for rate limits.")
    }
}

extension HostSettings {
    /// Whether to accept connections without TLS beyond loopback.
    package enum Plaintext: String, CaseIterable, Sendable {
        /// Only on loopback.
        case loopback
        /// The operator confirms that the network has no other users.
        case trustedNetwork = "trusted-network"
    }

    /// The lowest level of log lines to write.
    package enum LogLevel: String, CaseIterable, Sendable {
        case debug
        case info
        case warning
        case error
    }
}

/// All settings of one program.
struct ProgramSettings<P: Program>: Settings {
    let host: HostSettings
    let own: P.OwnSettings

    init(reading settings: inout SettingsReader) {
        host = HostSettings(reading: &settings, P.description)
        own = P.OwnSettings(reading: &settings)
    }
}

/// The location of one service, from its callers' settings.
package struct PeerSettings: Sendable {
    /// The service's name, for example `postern.session`.
    package let service: String
    /// The addresses of its instances. A name may resolve to several.
    package var addresses: [ServiceAddress]
    /// The name in its certificate, where that is not the host of its address.
    package let certificateName: String?

    /// Declares the setting `<name>-address`.
    package init(
        reading settings: inout SettingsReader, _ name: String, service: String, port: UInt16
    ) {
        self.service = service
        addresses = [ServiceAddress.loopback(port: port)]
        settings.addresses(
            "\(name)-address", &addresses, reason: "Where the instances of \(service) listen.")
        settings.require(
            !addresses.isEmpty, ["\(name)-address"], "there must be at least one address")
        certificateName = settings.optionalString(
            "\(name)-certificate-name", unit: "name",
            reason: "What its certificate must name, if not the host of its address.")
    }
}

extension ServerLimits {
    /// Declares the limits of a server that operators may change. The defaults are those of
    /// `ServerLimits`, but for what the program describes.
    init(reading settings: inout SettingsReader, _ program: ProgramDescription) {
        self.init()
        connectionsPerAddressMax = program.connectionsPerAddressMax
        readConnections(&settings)
        guard program.hasRPCServer else { return }
        settings.integer(
            "running-max", &runningMax, in: 1...100_000, unit: "handlers",
            reason: "Calls that run at once, some 10 KiB each; above it they wait in a queue.")
        settings.integer(
            "costly-running-max", &costlyRunningMax, in: 1...100_000, unit: "handlers",
            reason: "The same for costly methods (sign-in), so that others keep capacity.")
        settings.integer(
            "queue-max", &queueMax, in: 0...100_000, unit: "calls",
            reason: "Calls that wait in each queue; above it they are rejected and may retry.")
        readConnectionLives(&settings)
    }

    private mutating func readConnections(_ settings: inout SettingsReader) {
        settings.integer(
            "connections-max", &connectionsMax, in: 1...1_000_000, unit: "connections",
            reason: "Some 16 KiB each without TLS and 64 KiB with it; each is an open file too.")
        settings.integer(
            "connections-per-address-max", &connectionsPerAddressMax, in: 1...1_000_000,
            unit: "connections",
            reason: "From one address or IPv6 /64; loopback is bounded by connections-max alone.")
    }

    private mutating func readConnectionLives(_ settings: inout SettingsReader) {
        var age: Duration = .seconds(3_600)
        settings.duration(
            "max-connection-age", &age, in: .zero ... .seconds(86_400 * 30),
            reason: "Then a connection is drained, so that callers spread over all instances and "
                + "authenticate again; a tenth more or less; 0 for never.")
        connectionAgeMax = age > .zero ? age : nil
        var idle: Duration = .zero
        settings.duration(
            "max-connection-idle", &idle, in: .zero ... .seconds(86_400 * 30),
            reason: "Time without a call after which a connection is drained; 0 for never.")
        connectionIdleMax = idle > .zero ? idle : nil
    }
}

/// The settings of slow call logs and traces.
package struct ObservationSettings: Sendable {
    /// Calls that take at least this long are logged.
    package var slowCall: Duration = .seconds(1)
    /// The collector of spans. Nil: no spans are created.
    package var collector: CollectorAddress?
    /// The fraction of the traces started here that is recorded, 0 … 1.
    package var sampling = 1.0
}

extension ObservationSettings {
    init(reading settings: inout SettingsReader) {
        self.init()
        settings.duration(
            "slow-call", &slowCall, in: .milliseconds(1)...(.seconds(3_600)),
            reason: "A call that takes longer is logged with its method and trace.")
        let endpoint = settings.optionalString(
            "trace-endpoint", unit: "URL",
            reason: "Spans go there as OTLP JSON, to http://HOST:4318 for instance; not set: none.")
        collector = endpoint.flatMap { CollectorAddress($0) }
        settings.require(
            endpoint == nil || collector != nil, ["trace-endpoint"],
            "must be http://HOST:PORT of a collector nearby, which forwards with TLS")
        settings.fraction(
            "trace-sampling", &sampling,
            reason: "The fraction of traces started here to be recorded; callers decide for theirs."
        )
    }
}
