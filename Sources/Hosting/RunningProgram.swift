import Contracts
import CoreMetrics
import Glibc
import Logging
import RPC
import ServiceLifecycle
import ServiceRuntime

/// Runs a program after its service has been assembled.
enum RunningProgram {
    /// Serves until the program is stopped, then stops it in this order:
    ///
    /// 1. the lifeline ends,
    /// 2. readiness drains: health checks report it, and the kernel's alarm is set,
    /// 3. the server finishes the calls that it has accepted, and closes,
    /// 4. the tasks of `background` end: traces, peers, the clock, credentials,
    /// 5. the service's workers end,
    /// 6. the last spans are exported,
    /// 7. the assembly is closed: what the service holds in memory is written, then its store is
    ///    closed.
    /// - Returns: The exit code.
    static func run(_ host: ServiceHost, assembly: Assembly) async throws -> Int32 {
        let settings = host.settings
        let readiness = Readiness(parts: ["server"] + assembly.awaitedPeers)
        let readinessPage: MetricsEndpoint.Readiness = {
            let answer = HealthAnswer(
                state: readiness.state, parts: host.parts.states, warnings: host.parts.warnings)
            return (answer.isReady, answer.text)
        }
        let (server, watched) = try await start(host, assembly, readiness, readinessPage)
        let metricsPort = try await MetricsEndpoint.start(
            host: settings.metricsHost, port: settings.metricsPort,
            MetricsEndpoint.Source(
                metrics: { host.metrics.prometheusText() },
                readiness: readinessPage,
                isMakingProgress: { host.parts.isAlive }),
            group: host.group)
        readiness.setReady("server")
        let isReadyNow = readiness.isReady
        if isReadyNow { try announce(host, port: server.port, metricsPort: metricsPort) }
        if !isReadyNow {
            host.logger.info(
                "process.waiting", "not ready before peers have answered",
                fields: [
                    .detail: .text("waits for \(assembly.awaitedPeers.joined(separator: ", "))")
                ])
        }
        // A program that waits for peers announces itself later, when it can already be stopped.
        let announcing = Worker {
            for await state in readiness.changes() where state == .ready && !isReadyNow {
                try announce(host, port: server.port, metricsPort: metricsPort)
            }
        }
        let lifeline = settings.isTiedToInput ? Lifeline(descriptor: STDIN_FILENO) : nil
        let lifecycle = ProgramLifecycle(
            readiness: readiness, lifeline: lifeline, logger: host.logger, killsAfterTimeout: true)
        let workers =
            assembly.workers + background(host, assembly, watched, readiness) + [announcing]
        let exitCode = await lifecycle.run(workers + [DrainingServer(server: server)])
        await host.observation.exporter?.exportLast()
        await assembly.close()
        return exitCode
    }

    /// The tasks that run beside every server: credentials, peers, the clock, and traces.
    private static func background(
        _ host: ServiceHost, _ assembly: Assembly, _ watched: [CredentialWatch.Credential],
        _ readiness: Readiness
    ) -> [Worker] {
        let watch = CredentialWatch(
            watched + assembly.watched + host.peerCredentials.watched,
            every: host.settings.credentials.interval, time: host.time, logger: host.logger)
        host.parts.add("keys") { watch.failure }
        host.metrics.add(host.parts)
        let peers = Worker {
            try await host.peers.run(host.parts, host.time) { peer in
                guard assembly.awaitedPeers.contains(peer) else { return }
                readiness.setReady(peer)
            }
        }
        let clock = ClockWatch(time: host.time, logger: host.logger, metrics: host.metrics)
        let exporting = host.observation.exporter.map { exporter in
            Worker { try await exporter.run() }
        }
        return [Worker(watch.run), Worker(clock.run), peers, exporting].compactMap(\.self)
    }

    /// Starts the server.
    /// - Returns: the server, and its files that are reloaded when they change.
    private static func start(
        _ host: ServiceHost, _ assembly: Assembly, _ readiness: Readiness,
        _ readinessPage: @escaping MetricsEndpoint.Readiness
    ) async throws -> (server: Assembly.Running, watched: [CredentialWatch.Credential]) {
        // Reads all sentences, some 10 ms, before an event loop would have to wait for it.
        _ = ErrorCode.unavailable.sentence(in: .english)
        let limits = try OpenFiles.fitted(host.settings.limits, logger: host.logger)
        switch assembly.server {
        case .other(let start):
            return (try await start(limits, readinessPage), [])
        case .rpc(let services):
            let methods = (services.map(\.description) + always).flatMap(\.methods).map(\.name)
            let credentials = try ServerCredentials(
                host.settings, callersMethods: host.description.callersMethods,
                webServices: host.description.webServices, methodNames: methods, time: host.time,
                logger: host.logger)
            let server = try await rpcServer(
                host, assembly, services, limits, readiness, credentials)
            credentials.startedServer.replace(server)
            return (
                Assembly.Running(port: server.port) { await server.drain() }, credentials.watched
            )
        }
    }

    /// The services that every server has.
    private static let always = [HealthDescription.service, ReflectionDescription.service]

    private static func rpcServer(
        _ host: ServiceHost, _ assembly: Assembly, _ services: [ServiceMethods],
        _ limits: ServerLimits, _ readiness: Readiness, _ credentials: ServerCredentials
    ) async throws -> RPCServer {
        let settings = host.settings
        let health = HealthReporter(readiness: readiness, parts: host.parts, time: host.time)
        let reflection = ReflectionDirectory(services.map(\.description) + always)
        return try await RPCServer.start(
            ServerSettings(
                service: host.description.service, host: settings.listenHost,
                port: settings.listenPort,
                // The programs with a store are those that the gateway calls.
                frameBytesMax: host.description.hasStore
                    ? FrameLimits.frameBytesBetweenPrograms : FrameLimits.frameBytesDefault,
                callsMax: FrameLimits.servedCallsMax, limits: limits,
                isPlaintextTrusted: settings.plaintext == .trustedNetwork,
                tokenAudiences: assembly.tokenAudiences,
                formalLanguages: assembly.formalLanguages,
                agent: "\(host.description.program)/\(ProductVersion.text)"),
            services: services + [
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
        let server: Assembly.Running

        func run() async throws {
            try? await gracefulShutdown()  // throws when cancelled, which also means a stop
            await server.drain()
        }
    }
}
