import Contracts
import CoreMetrics
import Glibc
import Logging
import RPC
import ServiceLifecycle
import ServiceRuntime

/// Runs a program after its service has been assembled.
enum RunningProgram {
    /// Serves until the program is stopped, then drains.
    /// - Returns: The exit code.
    static func run(_ host: ServiceHost, assembly: Assembly) async throws -> Int32 {
        let settings = host.settings
        let readiness = Readiness(parts: ["server"])
        let credentials = try ServerCredentials(
            settings, callersMethods: host.description.callersMethods,
            webServices: host.description.webServices, time: host.time, logger: host.logger)
        let server = try await start(host, assembly, readiness, credentials)
        credentials.server.replace(server)
        let metricsPort = try await MetricsEndpoint.start(
            host: settings.metricsHost, port: settings.metricsPort,
            MetricsEndpoint.Source(
                metrics: { host.metrics.prometheusText() },
                readiness: {
                    let answer = HealthAnswer(state: readiness.state, parts: host.parts.states)
                    return (answer.isReady, answer.text)
                },
                isMakingProgress: { host.parts.isAlive }),
            group: host.group)
        readiness.set("server", isReady: true)
        try announce(host, port: server.port, metricsPort: metricsPort)
        let lifeline = settings.isTiedToInput ? Lifeline(descriptor: STDIN_FILENO) : nil
        let lifecycle = ProgramLifecycle(
            readiness: readiness, lifeline: lifeline, logger: host.logger, isKilledLate: true)
        let watch = CredentialWatch(
            credentials.watched + host.peerCredentials.watched,
            every: settings.credentials.interval, time: host.time, logger: host.logger)
        host.parts.add("keys") { watch.failure }
        host.metrics.add(host.parts)
        let peers = Worker { try await host.peers.run(host.parts, host.time) }
        let clock = ClockWatch(time: host.time, logger: host.logger, metrics: host.metrics)
        let exporter = host.observation.exporter
        let exporting = exporter.map { exporter in Worker { try await exporter.run() } }
        let workers: [any Service] =
            assembly.workers
            + [Worker(watch.run), Worker(clock.run), peers, exporting].compactMap { $0 }
        let exitCode = await lifecycle.run(workers + [DrainingServer(server: server)])
        await exporter?.exportLast()
        await assembly.close()
        return exitCode
    }

    private static func start(
        _ host: ServiceHost, _ assembly: Assembly, _ readiness: Readiness,
        _ credentials: ServerCredentials
    ) async throws -> RPCServer {
        let settings = host.settings
        let limits = try OpenFiles.fitted(settings.limits, logger: host.logger)
        let health = HealthReporter(readiness: readiness, parts: host.parts, time: host.time)
        let always = [HealthDescription.service, ReflectionDescription.service]
        let reflection = ReflectionDirectory(assembly.services.map(\.description) + always)
        return try await RPCServer.start(
            ServerSettings(
                service: host.description.service, host: settings.listenHost,
                port: settings.listenPort, limits: limits,
                isPlaintextTrusted: settings.plaintext == .trustedNetwork,
                tokenAudiences: assembly.tokenAudiences,
                agent: "\(host.description.program)/\(ProductVersion.text)"),
            services: assembly.services + [
                HealthDispatcher.methods(of: health), ReflectionDispatcher.methods(of: reflection),
            ],
            applications: credentials.applications, tls: credentials.tls, group: host.group,
            time: host.time, randomness: host.randomness, logger: host.logger,
            observation: host.observation.server)
    }

    private static func announce(_ host: ServiceHost, port: Int, metricsPort: Int) throws {
        host.logger.info(
            "process.ready", "ready",
            fields: [
                .address: .text("\(host.settings.listenHost):\(port)"),
                .port: .count(metricsPort),
            ])
        guard let path = host.settings.portFile else { return }
        try PortFile.write(path, port: port, metricsPort: metricsPort)
    }

    /// The server as a service of the lifecycle: drains when the program stops.
    private struct DrainingServer: Service {
        let server: RPCServer

        func run() async throws {
            try? await gracefulShutdown()  // throws when cancelled, which also means a stop
            await server.drain()
        }
    }
}
