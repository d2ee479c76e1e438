import Cryptography
import Outbound
import ServiceRuntime

/// Settings of push messages. Without a provider they go to the inbox.
struct PushSettings: Sendable {
    /// Credentials for Apple.
    struct Apple: Sendable {
        /// The signing key.
        let key: SigningKey
        /// The key's id, ten characters.
        let keyID: String
        /// The team's id, ten characters.
        let team: String
        /// The URL of APNs.
        let url: HTTPURL
        /// The URL of APNs for apps under development.
        let sandboxURL: HTTPURL
    }

    /// Google's service account, if set.
    let google: GoogleAccount?
    /// The URL of FCM.
    let googleURL: HTTPURL?
    /// Apple's credentials, if set.
    let apple: Apple?
    /// The apps that devices may be registered for.
    let apps: PushApps
    /// The rate limit of each provider, in messages per second.
    var rate = 500

    /// The platforms whose devices get messages. Without any provider the inbox serves all.
    var platforms: Set<PushPlatform> {
        var platforms: Set<PushPlatform> = []
        if google != nil { platforms.insert(.fcm) }
        if apple != nil { platforms.formUnion([.apns, .apnsSandbox]) }
        return platforms.isEmpty ? [.fcm, .apns, .apnsSandbox] : platforms
    }

    init(_ settings: inout SettingsReader, _ common: ProviderSettings) {
        google = Self.google(&settings, common)
        googleURL = common.url(
            &settings, "push-fcm-url", default: "https://fcm.googleapis.com",
            reason: "For a test, or a way round a proxy.")
        var topics: [String] = []
        settings.strings(
            "push-apns-topics", &topics, unit: "bundle id",
            reason: "The bundle ids of your apps; the first one is the default.")
        settings.require(
            topics.allSatisfy(PushApps.isName), ["push-apns-topics"],
            "push-apns-topics are bundle ids such as com.example.app")
        apps = PushApps(topics: topics)
        apple = Self.apple(&settings, common, hasTopics: !topics.isEmpty)
        settings.integer(
            "push-rate", &rate, in: 1...100_000, unit: "messages/s",
            reason: "The rate limit of each provider.")
    }

    private static func google(
        _ settings: inout SettingsReader, _ common: ProviderSettings
    ) -> GoogleAccount? {
        let secret = settings.secret(
            "push-fcm-account", reason: "The JSON of a Google service account for FCM.")
        guard let secret else { return nil }
        do throws(GoogleAccount.Problem) {
            return try GoogleAccount(json: secret.secretBytes, allowsPlain: common.allowsPlain)
        } catch {
            settings.require(false, ["push-fcm-account"], "push-fcm-account \(error.rawValue)")
            return nil
        }
    }

    private static func apple(
        _ settings: inout SettingsReader, _ common: ProviderSettings, hasTopics: Bool
    ) -> Apple? {
        let pem = settings.secret(
            "push-apns-key", reason: "The text of Apple's AuthKey_….p8, which signs for APNs.")
        let keyID = settings.optionalString(
            "push-apns-key-id", unit: "name", reason: "That key's name at Apple.")
        let team = settings.optionalString(
            "push-apns-team", unit: "name", reason: "Your team's name at Apple.")
        let url = common.url(
            &settings, "push-apns-url", default: "https://api.push.apple.com",
            reason: "For a test, or a way round a proxy.")
        let sandboxURL = common.url(
            &settings, "push-apns-sandbox-url", default: "https://api.sandbox.push.apple.com",
            reason: "The same, for apps under development.")
        guard let pem else { return nil }
        settings.require(
            keyID != nil && team != nil && hasTopics, ["push-apns-key"],
            "push-apns-key needs push-apns-key-id, push-apns-team and push-apns-topics")
        // The cause is not reported, because it could reveal parts of the key.
        let key = try? SigningKey(pem: pem.secretBytes)
        settings.require(
            key != nil, ["push-apns-key"], "push-apns-key is not a P-256 private key in PEM")
        guard let key, let keyID, let team, let url, let sandboxURL else { return nil }
        return Apple(key: key, keyID: keyID, team: team, url: url, sandboxURL: sandboxURL)
    }
}
