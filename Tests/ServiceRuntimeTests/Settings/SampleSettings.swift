import ServiceRuntime
import Testing

/// A setting of each kind, as a service declares them.
struct SampleSettings: Settings {
    enum Mode: String, CaseIterable {
        case friendly
        case strict
    }

    var port = 7402
    var idle: Duration = .seconds(30 * 86_400)
    var isLifeline = false
    var mode = Mode.friendly
    var folder = ".postern"
    var chain: String?
    var origins: [String] = []
    var peers = [ServiceAddress.loopback(port: 7401)]
    var listen = ServiceAddress.loopback(port: 7400)
    var password: SettingSecret?

    init(reading settings: inout SettingsReader) {
        settings.integer(
            "listen-port", &port, in: 0...65_535, unit: "port",
            reason: "Where calls arrive; 0 lets the system pick.")
        settings.duration(
            "idle-timeout", &idle, in: .seconds(60)...(.seconds(365 * 86_400)),
            reason: "An unused session ends (S-02).")
        settings.boolean("lifeline", &isLifeline, reason: "Stop when standard input closes.")
        settings.choice("enumeration", &mode, reason: "Whether sign-ups tell (X-02, A-01): ask.")
        settings.path("data-folder", &folder, use: .store, reason: "Where the store is.")
        chain = settings.optionalPath("tls-chain", reason: "The certificate chain.")
        settings.strings("link-origins", &origins, unit: "URL", reason: "Where links may lead.")
        settings.addresses("identity-addresses", &peers, reason: "Where identity listens.")
        settings.address("listen", &listen, reason: "Where the gateway listens.")
        password = settings.secret("mail-password", reason: "For the mail server.")
        settings.require(
            port == 0 || port != listen.port, ["listen-port", "listen"],
            "two listeners cannot share a port")
    }
}

/// The outcome of loading `SampleSettings`.
struct SampleOutcome {
    let values: SampleSettings?
    let text: String
    let exitCode: Int32?

    init(_ arguments: [String] = [], _ environment: [String: String] = [:]) {
        let loader = SettingsLoader(
            program: "postern-sample", summary: "a sample.", arguments: arguments,
            environment: environment)
        switch loader.load(SampleSettings.self) {
        case .run(let values): (self.values, text, exitCode) = (values, "", nil)
        case .exit(let text, let code): (values, self.text, exitCode) = (nil, text, code)
        }
    }

    /// The reported problems, without the heading.
    var problems: [String] {
        text.split(separator: "\n").dropFirst().map { $0.trimmingPrefix("  ") }.map(String.init)
    }
}
