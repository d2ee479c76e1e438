import ServiceRuntime
import Testing

/// A setting of each kind, as a service declares them.
struct SampleSettings: Settings {
    enum Mode: String, CaseIterable {
        case friendly
        case strict
    }

    let port: Int
    let idle: Duration
    let isLifeline: Bool
    let mode: Mode
    let folder: String
    let chain: String?
    let origins: [String]
    let peers: [ServiceAddress]
    let listen: ServiceAddress?
    let password: SettingSecret?

    init(reading settings: inout SettingsReader) {
        port = settings.integer(
            "listen-port", default: 7402, in: 0...65_535, unit: "port",
            reason: "Where calls arrive; 0 lets the system pick.")
        idle = settings.duration(
            "idle-timeout", default: .seconds(30 * 86_400),
            in: .seconds(60)...(.seconds(365 * 86_400)), reason: "An unused session ends (S-02).")
        isLifeline = settings.boolean(
            "lifeline", default: false, reason: "Stop when standard input closes.")
        mode = settings.choice("enumeration", default: Mode.friendly, reason: "X-02.")
        folder = settings.path(
            "data-folder", default: ".postern", use: .store, reason: "Where the store is.")
        chain = settings.optionalPath("tls-chain", reason: "The certificate chain.")
        origins = settings.strings(
            "link-origins", default: [], unit: "URL", reason: "Where links may lead.")
        peers = settings.addresses(
            "identity-addresses",
            default: [ServiceAddress(host: "127.0.0.1", port: 7401)].compactMap(\.self),
            reason: "Where identity listens.")
        listen = ServiceAddress("127.0.0.1:7400").map { address in
            settings.address("listen", default: address, reason: "Where the gateway listens.")
        }
        password = settings.secret("mail-password", reason: "For the mail server.")
        settings.require(
            port == 0 || port != listen?.port, ["listen-port", "listen"],
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
