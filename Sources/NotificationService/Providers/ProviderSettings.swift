import Cryptography
import Outbound
import ServiceRuntime

/// Settings that all HTTP providers share.
struct ProviderSettings: Sendable {
    /// Whether `http` URLs are allowed.
    let allowsPlain: Bool
    /// CA certificates to trust instead of the system's.
    let trustFile: String?
    /// The time limit of one request.
    let timeout: Duration

    init(_ settings: inout SettingsReader) {
        allowsPlain = settings.boolean(
            "provider-plaintext", default: false,
            reason: "Allows http URLs of providers: for a relay on this machine, and for tests.")
        trustFile = settings.optionalPath(
            "provider-trust-file", reason: "PEM authorities to trust instead of the system's.")
        timeout = settings.duration(
            "provider-timeout", default: .seconds(10), in: .milliseconds(100)...(.seconds(60)),
            reason: "The time limit of a request to a provider of text or push messages.")
    }

    /// The URL of a setting that has a default.
    func url(
        _ settings: inout SettingsReader, _ name: String, default standard: String, reason: String
    ) -> HTTPURL? {
        let text = settings.string(name, default: standard, unit: "URL", reason: reason)
        return checked(&settings, name, text)
    }

    /// The URL of an optional setting.
    func url(_ settings: inout SettingsReader, _ name: String, reason: String) -> HTTPURL? {
        let text = settings.optionalString(name, unit: "URL", reason: reason)
        return text.flatMap { checked(&settings, name, $0) }
    }

    private func checked(
        _ settings: inout SettingsReader, _ name: String, _ text: String
    ) -> HTTPURL? {
        let url = HTTPURL(text, allowsPlain: allowsPlain)
        settings.require(
            url != nil, [name], "\(name) must be an https URL without user, password and fragment")
        return url
    }
}

extension SettingSecret {
    /// A copy that outlives the settings.
    var secretBytes: SecretBytes { withBytes { SecretBytes(copying: $0) } }
}
