package import Logging
package import Outbound
package import ServiceRuntime
package import Storage

/// Makes the routes of text and push messages from the settings.
package struct SMSAndPushRoutes {
    private let settings: NotificationSettings
    private let wording: CatalogueWording
    private let store: Store
    private let keys: NotificationKeys
    private let time: any Time
    private let logger: Logger
    private let http: ProviderHTTP

    /// Routes whose requests go through `client`.
    package init(
        settings: NotificationSettings, wording: CatalogueWording, client: OutboundClient,
        store: Store, keys: NotificationKeys, time: any Time, logger: Logger
    ) {
        self.settings = settings
        self.wording = wording
        self.store = store
        self.keys = keys
        self.time = time
        self.logger = logger
        http = ProviderHTTP(
            client: client, trustFile: settings.providers.trustFile,
            timeout: settings.providers.timeout, time: time)
    }

    /// One route for each of the two channels. A channel without a provider uses `inbox`.
    package func routes(inbox: MaildirInbox) -> [Channel: any MessageRoute] {
        let local = SMSAndPushInbox(inbox: inbox, sender: settings.sender, wording: wording)
        let product = settings.sender.name.text
        let texts = smsProviders()
        let pushes = pushProviders()
        return [
            .sms: texts.isEmpty
                ? local
                : SMSRoute(
                    providers: texts, wording: wording, product: product, store: store,
                    keys: keys, time: time, logger: logger),
            .push: pushes.isEmpty
                ? local
                : PushRoute(
                    providers: pushes, wording: wording, product: product, store: store,
                    keys: keys),
        ]
    }

    private func smsProviders() -> [any SMSProvider] {
        let sms = settings.sms
        return sms.providers.compactMap { name -> (any SMSProvider)? in
            let providerGuard = providerGuard("sms \(name.rawValue)", rate: sms.rate)
            switch name {
            case .twilio:
                guard let account = sms.twilio, let base = sms.twilioURL else { return nil }
                return TwilioSMS(
                    account: account, base: base, http: http, providerGuard: providerGuard)
            case .webhook:
                guard let url = sms.webhookURL, let secret = sms.webhookSecret else { return nil }
                return WebhookSMS(
                    url: url, secret: secret, http: http, providerGuard: providerGuard)
            }
        }
    }

    private func pushProviders() -> [PushPlatform: any PushProvider] {
        let push = settings.push
        var providers: [PushPlatform: any PushProvider] = [:]
        if let google = push.google, let base = push.googleURL {
            providers[.fcm] = FCM(
                base: base, account: google, http: http,
                providerGuard: providerGuard("fcm", rate: push.rate))
        }
        if let apple = push.apple {
            let token = APNsToken(
                key: apple.key, keyID: apple.keyID, team: apple.team, time: time)
            providers[.apns] = APNs(
                base: apple.url, token: token, http: http,
                providerGuard: providerGuard("apns", rate: push.rate))
            providers[.apnsSandbox] = APNs(
                base: apple.sandboxURL, token: token, http: http,
                providerGuard: providerGuard("apns sandbox", rate: push.rate))
        }
        return providers
    }

    private func providerGuard(_ name: String, rate: Int) -> ProviderGuard {
        ProviderGuard(name: name, rate: Double(rate), time: time, logger: logger)
    }
}

extension NotificationSettings {
    /// Connections to providers: with HTTP/2 one to each is enough.
    private static var providerConnectionsMax: Int { 32 }

    /// The HTTP client for the providers of text and push messages.
    /// - Throws: `OutboundClient.Unavailable`.
    package func makeProviderClient() throws(OutboundClient.Unavailable) -> OutboundClient {
        try OutboundClient(
            limits: .init(
                transfersMax: 2 * deliveriesMax + 1, connectionsMax: Self.providerConnectionsMax))
    }
}
