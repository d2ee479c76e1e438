import Cryptography
import Outbound
import ServiceRuntime

/// What holds for every provider that is spoken to by HTTP.
package struct ProviderSettings: Sendable {
    /// Whether `http` URLs will do.
    package let allowsPlain: Bool
    /// Whom to trust instead of the system's authorities.
    package let trustFile: String?
    /// How long one request may take.
    package let timeout: Duration

    init(_ settings: inout SettingsReader) {
        allowsPlain = settings.boolean(
            "provider-plaintext", default: false,
            reason: "Takes http URLs of providers: for a relay on this machine, and for tests.")
        trustFile = settings.optionalPath(
            "provider-trust-file", reason: "PEM authorities to trust instead of the system's.")
        timeout = settings.duration(
            "provider-timeout", default: .seconds(10), in: .milliseconds(100)...(.seconds(60)),
            reason: "A provider of text or push messages that takes longer is left for now.")
    }

    /// The URL of a setting that has a default.
    func url(
        _ settings: inout SettingsReader, _ name: String, default standard: String, reason: String
    ) -> HTTPURL? {
        let text = settings.string(name, default: standard, unit: "URL", reason: reason)
        return checked(&settings, name, text)
    }

    /// The URL of a setting that need not be set.
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
    /// A copy that can be kept.
    var secretBytes: SecretBytes { withBytes { SecretBytes(copying: $0) } }
}
