package import Addresses
package import ServiceRuntime

/// The operator's settings of who may call the web service, and from where.
package struct WebCallerSettings: Settings {
    /// The file of apps; nil for none, with which only backends can call.
    package let appsFile: String?
    /// The file's content at the start; nil without a file.
    package let apps: SettingsDocument<Apps>?
    /// The proxies whose fields about the client's address count.
    package let trustedProxies: [AddressNetwork]
    /// The origins at which clients reach the web service; empty for loopback names at its port.
    package var webOrigins: [WebOrigin] = []

    package init(reading settings: inout SettingsReader) {
        appsFile = settings.optionalPath(
            "apps-file",
            reason: "Your apps, .yaml or .json; reloaded when it changes. Without it only backends "
                + "can call.")
        var proxies: [String] = []
        settings.parsedList(
            "trusted-proxies", &proxies, counts: 0...64,
            expected: "a network such as 10.0.0.0/8 or 2001:db8::/32, with no bits after the "
                + "prefix, or an address; not /0, which is every address",
            unit: "network",
            reason: "Proxies whose X-Forwarded-For or Forwarded counts; from others it could be "
                + "forged.", parse: { Self.isProxyNetwork($0) ? $0 : nil })
        trustedProxies = proxies.compactMap(AddressNetwork.init)
        settings.parsedList(
            "web-origins", &webOrigins, counts: 0...16, expected: WebOrigin.expected,
            unit: "origin",
            reason: "Where clients reach the web service, as in their URLs. Without it only at "
                + "localhost.", parse: { WebOrigin(site: $0) })
        apps = appsFile.map { SettingsDocument(path: $0) }
        for problem in apps?.problems ?? [] {
            settings.require(false, ["apps-file"], problem)
        }
    }

    /// Whether a text is a network, and not all addresses: with `/0` every client could choose its
    /// address.
    private static func isProxyNetwork(_ text: String) -> Bool {
        let parts = text.split(separator: "/")
        return AddressNetwork(text) != nil && (parts.count < 2 || Int(parts[1]) != 0)
    }
}
