import Logging
import Outbound
import ServiceRuntime
import Storage

extension NotificationSettings {
    /// Connections to providers: with HTTP/2 one to each is enough.
    private static var providerConnectionsMax: Int { 32 }

    /// The HTTP client for the providers of text and push messages.
    /// - Throws: `OutboundClient.Unavailable`.
    func makeProviderClient() throws(OutboundClient.Unavailable) -> OutboundClient {
        try OutboundClient(
            limits: .init(
                transfersMax: 2 * deliveriesMax + 1, connectionsMax: Self.providerConnectionsMax))
    }

    /// The routes of text and push messages, whose requests go through `client`. A channel without
    /// a provider uses the inbox.
    /// - Parameter inbox: called if there is such a channel.
    /// - Throws: `MaildirInbox.FileError`.
    func makeSMSAndPushRoutes(
        inbox: () throws -> MaildirInbox, client: OutboundClient, store: Store,
        keys: NotificationKeys, time: any Time, logger: Logger
    ) throws -> [Channel: any MessageRoute] {
        let (live, product, lines) = (templates.live, sender.name, sms.lines)
        func local() throws -> any MessageRoute {
            SMSAndPushInbox(inbox: try inbox(), sender: sender, templates: live, lines: lines)
        }
        let http = ProviderHTTP(client: client, settings: providers, time: time)
        func providerGuard(_ name: String, _ rate: Int) -> ProviderGuard {
            ProviderGuard(name: name, rate: Double(rate), time: time, logger: logger)
        }
        let texts = sms.makeProviders(http, providerGuard)
        let pushes = push.makeProviders(http, providerGuard)
        return [
            .sms: try texts.isEmpty
                ? local()
                : SMSRoute(
                    providers: texts, templates: live, product: product, lines: lines,
                    store: store, keys: keys, time: time, logger: logger),
            .push: try pushes.isEmpty
                ? local()
                : PushRoute(
                    providers: pushes, templates: live, product: product, store: store,
                    keys: keys),
        ]
    }
}

extension SMSSettings {
    /// The providers, in order of preference.
    fileprivate func makeProviders(
        _ http: ProviderHTTP, _ providerGuard: (String, Int) -> ProviderGuard
    ) -> [any SMSProvider] {
        providers.compactMap { name -> (any SMSProvider)? in
            let providerGuard = providerGuard("sms \(name.rawValue)", rate)
            switch name {
            case .twilio:
                guard let twilio, let twilioURL else { return nil }
                return TwilioSMS(
                    account: twilio, base: twilioURL, http: http, providerGuard: providerGuard)
            case .webhook:
                guard let webhookURL, let webhookSecret else { return nil }
                return WebhookSMS(
                    url: webhookURL, secret: webhookSecret, http: http,
                    providerGuard: providerGuard)
            }
        }
    }
}

extension PushSettings {
    /// One provider for each platform that has credentials.
    fileprivate func makeProviders(
        _ http: ProviderHTTP, _ providerGuard: (String, Int) -> ProviderGuard
    ) -> [PushPlatform: any PushProvider] {
        var providers: [PushPlatform: any PushProvider] = [:]
        if let google, let googleURL {
            providers[.fcm] = FCM(
                base: googleURL, account: google, http: http,
                providerGuard: providerGuard("fcm", rate))
        }
        if let apple {
            let token = APNsToken(
                key: apple.key, keyID: apple.keyID, team: apple.team, time: http.time)
            providers[.apns] = APNs(
                base: apple.url, token: token, http: http,
                providerGuard: providerGuard("apns", rate))
            providers[.apnsSandbox] = APNs(
                base: apple.sandboxURL, token: token, http: http,
                providerGuard: providerGuard("apns sandbox", rate))
        }
        return providers
    }
}
