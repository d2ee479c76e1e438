import Contracts
import GatewayService
import Hosting
import RPC
import ServiceRuntime

/// `postern-gateway`: the public sign-in flows. It has no store.
@main
struct GatewayProgram: Program {
    static let description = ProgramDescription(
        program: "postern-gateway", service: "postern.gateway", application: "gateway",
        summary: "The public sign-in flows, composed of the other four services.", port: 7400,
        callers: ["app", "tool", "web"], addressAsserters: ["app", "tool", "web"],
        webServices: ["web"], hasStore: false)

    static func assemble(
        _ host: ServiceHost, _ settings: GatewayProgramSettings
    ) async throws -> Assembly {
        let service = try GatewayService(
            settings: settings.gateway,
            peers: GatewayPeers(
                identity: .init(
                    try host.channel(to: settings.identity),
                    streams: try host.channel(
                        to: settings.identity, streamCredit: FrameLimits.sharedStreamCredit),
                    watches: try host.channel(to: settings.identity)),
                session: .init(try host.channel(to: settings.session)),
                // An unreachable rate limiter must be detected quickly.
                limits: LimitsClient(
                    try host.channel(
                        to: settings.rateLimit, connectTimeout: .milliseconds(250)))),
            time: host.time, randomness: host.randomness, logger: host.logger)
        return Assembly(
            services: service.methods, workers: service.tasks.map { Worker($0) },
            tokenAudiences: Set(settings.gateway.webOrigins),
            formalLanguages: settings.gateway.formalLanguages)
    }
}

/// The gateway's settings and the addresses of the other services.
struct GatewayProgramSettings: Settings {
    let gateway: GatewaySettings
    let identity: PeerSettings
    let session: PeerSettings
    let rateLimit: PeerSettings

    init(reading settings: inout SettingsReader) {
        gateway = GatewaySettings(reading: &settings)
        identity = PeerSettings(
            reading: &settings, "identity", service: "postern.identity", port: 7401)
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        rateLimit = PeerSettings(
            reading: &settings, "rate-limit", service: "postern.rate-limit", port: 7403)
    }
}
