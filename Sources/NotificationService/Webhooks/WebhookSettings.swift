import Addresses
import Outbound
package import ServiceRuntime

/// Settings of webhooks. The webhooks themselves are added with `postern webhooks`.
package struct WebhookSettings: Settings {
    /// The addresses to which webhooks may go.
    package var targets = WebhookTargets.public
    /// The time limit of one request.
    package var timeout: Duration = .seconds(10)
    /// CA certificates to trust instead of the system's.
    package var trustFile: String?

    package init(reading settings: inout SettingsReader) {
        settings.choice(
            "webhook-targets", &targets,
            reason: "public: https to public addresses. any: http and private addresses too.")
        settings.duration(
            "webhook-timeout", &timeout, in: .seconds(1)...(.seconds(60)),
            reason: "The time limit of a request; after it the event is retried later.")
        trustFile = settings.optionalPath(
            "webhook-trust-file", reason: "PEM authorities to trust instead of the system's.")
    }
}

/// The addresses to which webhooks may go. By default not into the operator's own network: a URL is
/// typed by anybody who may use the tool, and the machine that connects can reach more than they
/// can (SSRF).
package enum WebhookTargets: String, CaseIterable, Sendable {
    /// `https` to public addresses.
    case `public`
    /// Also `http`, and every address: for receivers on this machine or in a private network.
    case any

    /// The URL, if it is allowed.
    func url(_ text: String) -> HTTPURL? { HTTPURL(text, allowsPlain: self == .any) }

    /// Whether its host is a name, or an address that `addresses` allows. A name is checked when a
    /// connection is made, since it may resolve to another address then.
    func allowsHost(of url: HTTPURL) -> Bool {
        let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        return InternetAddress(text: host).map { addresses.allows($0) } ?? true
    }

    /// The addresses to which its host name may resolve.
    var addresses: AddressPolicy { self == .any ? .any : .publicOnly }
}
