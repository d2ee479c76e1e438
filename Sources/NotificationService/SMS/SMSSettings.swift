package import Cryptography
package import Outbound
import ServiceRuntime

/// What an operator can set of text messages. Without a provider they go into the inbox.
package struct SMSSettings: Sendable {
    /// A provider, by its name in `sms-providers`.
    package enum ProviderName: String, CaseIterable, Sendable {
        case twilio
        case webhook
    }

    /// HMAC-SHA-256 keys are as long as its output (RFC 2104, 3).
    private static let secretBytesMin = 32

    /// In their order; those behind the first stand in for it.
    package let providers: [ProviderName]
    /// Twilio, if it is set.
    package let twilio: TwilioSMS.Account?
    /// Where Twilio is.
    package let twilioURL: HTTPURL?
    /// The operator's own service, if it is set.
    package let webhookURL: HTTPURL?
    /// What that and we know.
    package let webhookSecret: SecretBytes?
    /// Messages a second to each provider.
    package let rate: Int

    init(_ settings: inout SettingsReader, _ common: ProviderSettings) {
        let names = settings.strings(
            "sms-providers", default: [], unit: "name",
            reason: "twilio, webhook or both; the later one stands in. None: the inbox.")
        providers = names.compactMap { ProviderName(rawValue: $0) }
        settings.require(
            providers.count == names.count && Set(names).count == names.count, ["sms-providers"],
            "sms-providers knows \(ProviderName.allCases.map(\.rawValue)), each once")
        twilio = Self.twilio(&settings)
        twilioURL = common.url(
            &settings, "sms-twilio-url", default: "https://api.twilio.com",
            reason: "For another server that offers Twilio's API.")
        (webhookURL, webhookSecret) = Self.webhook(&settings, common)
        rate = settings.integer(
            "sms-rate", default: 10, in: 1...10_000, unit: "messages/s",
            reason: "What one provider is given in a second.")
        settings.require(
            twilio != nil || !providers.contains(.twilio), ["sms-providers"],
            "twilio needs sms-twilio-account, sms-twilio-sender and sms-twilio-secret")
        settings.require(
            webhookURL != nil && webhookSecret != nil || !providers.contains(.webhook),
            ["sms-providers"], "webhook needs sms-webhook-url and sms-webhook-secret")
    }

    private static func webhook(
        _ settings: inout SettingsReader, _ common: ProviderSettings
    ) -> (HTTPURL?, SecretBytes?) {
        let url = common.url(
            &settings, "sms-webhook-url",
            reason: "A service of your own that sends text messages; see WebhookSMS.swift.")
        let secret = settings.secret(
            "sms-webhook-secret", reason: "Signs what sms-webhook-url is sent.")?.secretBytes
        settings.require(
            (secret?.count ?? secretBytesMin) >= secretBytesMin, ["sms-webhook-secret"],
            "sms-webhook-secret must have \(secretBytesMin) bytes or more")
        return (url, secret)
    }

    private static func twilio(_ settings: inout SettingsReader) -> TwilioSMS.Account? {
        let account = settings.optionalString(
            "sms-twilio-account", unit: "SID", reason: "The account that pays, AC….")
        let user = settings.optionalString(
            "sms-twilio-key", unit: "SID", reason: "An API key, SK…; without one the account.")
        let secret = settings.secret(
            "sms-twilio-secret", reason: "The API key's secret, or the account's token.")
        let sender = settings.optionalString(
            "sms-twilio-sender", unit: "number",
            reason: "Who messages are from: a number, a name, or a messaging service MG….")
        guard let account, let secret, let sender else { return nil }
        return TwilioSMS.Account(
            account: account, user: user ?? account, secret: secret.secretBytes, sender: sender)
    }
}
