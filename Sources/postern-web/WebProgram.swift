import Hosting
import RPC
import ServiceRuntime
import WebService

/// `postern-web`: the public methods of the gateway over HTTP. It has no store.
@main
struct WebProgram: Program {
    static let description = ProgramDescription(
        program: "postern-web", service: "postern.web", application: "web",
        summary: "Translates HTTP requests of apps, browsers and backends to calls of the gateway.",
        port: 7480, callers: [], hasRPCServer: false,
        connectionsPerAddressMax: WebLimits().connectionsPerAddressMax)

    static func assemble(
        _ host: ServiceHost, _ settings: WebProgramSettings
    ) async throws -> Assembly {
        let service = try WebService(
            settings: settings.web, gateway: host.channel(to: settings.gateway),
            streams: host.channel(
                to: settings.gateway, streamCredit: FrameLimits.sharedStreamCredit),
            pageKey: settings.web.pages.isOn ? host.key("web") : nil, time: host.time,
            randomness: host.randomness, logger: host.logger)
        if settings.web.pages.hasUnservedLinks(settings.web.callers.webOrigins) {
            host.warnOfSetting(
                "web.links.not_served",
                "links in mails lead to a host that gets 421 here: link-origin is none of web-origins",
                setting: "link-origin")
        }
        let observation = WebObservation()
        host.metrics.add(observation)
        let listener = Reloadable<WebListener?>(nil)
        let certificate = try host.settings.credentials.serverFiles.map { files in
            try CredentialWatch.Credential.following(
                .serverCertificate, paths: files.paths, expiresAt: { $0.expiresAt },
                use: { listener.value?.use($0) },
                read: { try ServerTLS(files, speaking: .http, now: host.time.now()) })
        }
        return Assembly(
            listener: { limits, readiness in
                let started = try await WebListener.start(
                    settings.web.listener(
                        host: host.settings.listenHost, port: host.settings.listenPort,
                        isPlaintextTrusted: host.settings.plaintext == .trustedNetwork, limits),
                    tls: certificate?.value.value, group: host.group, time: host.time,
                    randomness: host.randomness, logger: host.logger, observation: observation,
                    responder: service.responder(readiness))
                listener.replace(started)
                return Assembly.Running(port: started.port) { await started.drain() }
            },
            workers: service.tasks.map { Worker($0) },
            watched: [certificate?.watched].compactMap(\.self), awaitedPeers: ["gateway"])
    }
}

/// The web service's settings and the gateway's address.
struct WebProgramSettings: Settings {
    let web: WebSettings
    let gateway: PeerSettings

    init(reading settings: inout SettingsReader) {
        web = WebSettings(reading: &settings)
        gateway = PeerSettings(
            reading: &settings, "gateway", service: "postern.gateway", port: 7400)
    }
}
