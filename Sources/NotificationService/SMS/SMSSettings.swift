import Cryptography
import Outbound
import ServiceRuntime

/// Settings of text messages. Without a provider they go to the inbox.
struct SMSSettings: Sendable {
    /// A provider, as named in `sms-providers`.
    enum ProviderName: String, CaseIterable, Sendable {
        case twilio
        case webhook
    }

    /// An HMAC-SHA-256 key should be as long as the hash (RFC 2104, 3).
    private static let secretBytesMin = 32

    /// In order of preference.
    let providers: [ProviderName]
    /// The Twilio account, if set.
    let twilio: TwilioSMS.Account?
    /// The URL of Twilio's API.
    let twilioURL: HTTPURL?
    /// The operator's own service, if set.
    let webhookURL: HTTPURL?
    /// The secret shared with that service.
    let webhookSecret: SecretBytes?
    /// The last lines of texts with a code (N-08).
    let lines: AutofillLines
    /// The rate limit of each provider, in messages per second.
    var rate = 10

    init(_ settings: inout SettingsReader, _ common: ProviderSettings) {
        var names: [String] = []
        settings.strings(
            "sms-providers", &names, unit: "name",
            reason: "twilio, webhook or both, in order of preference. None: the inbox.")
        providers = names.compactMap { ProviderName(rawValue: $0) }
        settings.require(
            providers.count == names.count && Set(names).count == names.count, ["sms-providers"],
            "sms-providers allows \(ProviderName.allCases.map(\.rawValue)), each once")
        twilio = Self.twilio(&settings)
        twilioURL = common.url(
            &settings, "sms-twilio-url", default: "https://api.twilio.com",
            reason: "The URL of another provider with Twilio's API.")
        (webhookURL, webhookSecret) = Self.webhook(&settings, common)
        lines = AutofillLines(reading: &settings)
        settings.integer(
            "sms-rate", &rate, in: 1...10_000, unit: "messages/s",
            reason: "The rate limit of each provider.")
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
            "sms-webhook-secret", reason: "Signs the requests to sms-webhook-url.")?.secretBytes
        settings.require(
            (secret?.count ?? secretBytesMin) >= secretBytesMin, ["sms-webhook-secret"],
            "sms-webhook-secret must have \(secretBytesMin) bytes or more")
        return (url, secret)
    }

    private static func twilio(_ settings: inout SettingsReader) -> TwilioSMS.Account? {
        let account = settings.optionalString(
            "sms-twilio-account", unit: "SID", reason: "The Twilio account, AC….")
        let user = settings.optionalString(
            "sms-twilio-key", unit: "SID", reason: "An API key, SK…; by default the account.")
        let secret = settings.secret(
            "sms-twilio-secret", reason: "The API key's secret, or the account's token.")
        let sender = settings.optionalString(
            "sms-twilio-sender", unit: "number",
            reason: "The sender: a number, a name, or a messaging service MG….")
        guard let account, let secret, let sender else { return nil }
        return TwilioSMS.Account(
            account: account, user: user ?? account, secret: secret.secretBytes, sender: sender)
    }
}
