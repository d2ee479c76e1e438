import Addresses
package import RPC
package import ServiceRuntime

/// The settings that only the web service has.
package struct WebSettings: Settings {
    /// Who may call, and from where.
    package let callers: WebCallerSettings
    /// When proxies name the client's address by PROXY protocol.
    package var proxyProtocol = ProxyProtocol.accepted
    /// The pages behind the links in mails.
    package let pages: PageSettings

    /// The operator's files below `/.well-known`; nil for none.
    let wellKnownFolder: String?
    /// Where `/.well-known/change-password` leads; nil for `/forgot-password` if the pages are on,
    /// and nowhere otherwise.
    let changePasswordURL: String?
    /// The languages in which errors of this program, and its pages, address people formally.
    let formalLanguages: FormalLanguages

    package init(reading settings: inout SettingsReader) {
        callers = WebCallerSettings(reading: &settings)
        settings.choice(
            "proxy-protocol", &proxyProtocol,
            reason: "required if trusted-proxies send it; else a client behind them could too.")
        settings.require(
            proxyProtocol == .accepted || !callers.trustedProxies.isEmpty,
            ["proxy-protocol", "trusted-proxies"],
            "PROXY protocol can only be required of trusted proxies")
        wellKnownFolder = settings.optionalPath(
            "well-known-folder",
            reason: "Serves apple-app-site-association, assetlinks.json and security.txt of it.")
        changePasswordURL = settings.optionalString(
            "change-password-url", unit: "URL",
            reason: "Your page; password managers find it by /.well-known/change-password. Without "
                + "it they find /forgot-password, with pages on.")
        settings.require(
            changePasswordURL.map { $0.hasPrefix("https://") || $0.hasPrefix("http://") } ?? true,
            ["change-password-url"], "must be an https or http URL")
        formalLanguages = FormalLanguages(reading: &settings)
        pages = PageSettings(reading: &settings)
    }

    /// Whether connections begin with a header of PROXY protocol. It is read from trusted proxies
    /// only.
    package enum ProxyProtocol: String, CaseIterable, Sendable {
        /// Connections of trusted proxies may begin with one.
        case accepted
        /// Connections of trusted proxies must begin with one.
        case required
    }

    /// The settings of the listener.
    /// - Parameter limits: The limits of connections count.
    package func listener(
        host: String, port: Int, isPlaintextTrusted: Bool, _ limits: ServerLimits
    ) -> WebListenerSettings {
        var ours = WebLimits()
        ours.connectionsMax = limits.connectionsMax
        ours.connectionsPerAddressMax = limits.connectionsPerAddressMax
        return WebListenerSettings(
            host: host, port: port, isPlaintextTrusted: isPlaintextTrusted,
            origins: callers.webOrigins.map(\.description),
            trustedProxies: callers.trustedProxies,
            requiresProxyProtocol: proxyProtocol == .required, limits: ours)
    }
}
