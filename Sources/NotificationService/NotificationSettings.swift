package import Logging
import Outbound
package import ServiceRuntime
package import Storage

/// The notification service's settings. Without a mail server mails go to the inbox folder, so that
/// everything works with defaults.
package struct NotificationSettings: Settings {
    /// The mail servers; empty when mails go to the inbox.
    let mailServers: MailServerSettings
    /// Whether mails are sent, and not written into the inbox folder.
    package var hasMailServer: Bool { !mailServers.entries.isEmpty }
    /// DKIM signing of mails.
    package let dkim: DKIMSettings
    /// Where readers unsubscribe from bulk mails; nil for no such link.
    let unsubscribe: UnsubscribeLink?
    /// The sender of mails.
    let sender: Mailbox
    /// The inbox's folder; nil for `inbox` in the data folder.
    let inboxFolder: String?
    /// Delivery attempts that run at the same time.
    var deliveriesMax = 8
    /// The time limit of one attempt at one server.
    var deliveryTimeout: Duration = .seconds(30)
    /// The time limit of one attempt over all servers. A message's lease must outlast it.
    private static let tryMax = Delivery.lease - Delivery.waitForTryMax
    /// Messages that one recipient gets at once, in each lane.
    var recipientBurst = 20
    /// The interval between further messages to that recipient.
    var recipientInterval: Duration = .seconds(10)
    /// How long the row of a message is kept after its end.
    var messageRetention = NotificationStore.retention
    /// The templates of messages.
    package let templates: TemplateSettings

    /// Settings that all providers of text and push messages share.
    let providers: ProviderSettings
    /// Settings of text messages.
    let sms: SMSSettings
    /// Settings of push messages.
    let push: PushSettings
    /// Settings of webhooks.
    let webhooks: WebhookSettings

    package init(reading settings: inout SettingsReader) {
        providers = ProviderSettings(&settings)
        sms = SMSSettings(&settings, providers)
        push = PushSettings(&settings, providers)
        templates = TemplateSettings(reading: &settings)
        sender = Self.sender(&settings)
        sms.lines.requireRoom(in: templates.live.value, product: sender.name, &settings)
        mailServers = MailServerSettings(
            reading: &settings, clientName: sender.address.domain)
        let areLocal = mailServers.entries.allSatisfy { Self.loopback.contains($0.server.host) }
        settings.require(
            sender.address.domain != "localhost" || areLocal,
            ["sender-address", "smtp-host"],
            "sender-address must be an address of your domain: mail servers refuse localhost, and "
                + "bounces would be lost")
        dkim = DKIMSettings(reading: &settings, senderDomain: sender.address.domain)
        unsubscribe = Self.unsubscribe(&settings)
        inboxFolder = settings.optionalPath(
            "inbox-folder", use: .untried,
            reason:
                "The Maildir for mails while smtp-host is not set; by default in the data folder.")
        settings.integer(
            "deliveries-max", &deliveriesMax, in: 1...256, unit: "attempts",
            reason: "Concurrent attempts in each channel, and connections to the mail server.")
        settings.duration(
            "delivery-timeout", &deliveryTimeout, in: .seconds(1)...(.seconds(120)),
            reason: "The time limit of one mail server; after it the mail is retried later.")
        settings.require(
            deliveryTimeout * mailServers.entries.count <= Self.tryMax, ["delivery-timeout"],
            "all mail servers together may take 2 minutes for one mail: lower delivery-timeout")
        settings.integer(
            "recipient-burst", &recipientBurst, in: 1...1_000, unit: "messages",
            reason: """
                Messages that one recipient gets at once; further ones wait. Of mails that the \
                recipient did not ask for 20 wait, and further ones are dropped.
                """)
        settings.duration(
            "recipient-interval", &recipientInterval, in: .milliseconds(1)...(.seconds(3_600)),
            reason: "After recipient-burst a recipient gets one message per interval.")
        settings.duration(
            "messages-kept", &messageRetention, in: .seconds(86_400)...(.seconds(90 * 86_400)),
            reason: "How long the record of a message, without content, is kept; a call repeated "
                + "later is a new one (I-08).")
        webhooks = WebhookSettings(reading: &settings)
    }

    /// The routes of all channels. The inbox is in the store's folder, unless a setting says
    /// otherwise. Channels without a provider share it; without such a channel there is none.
    /// - Throws: `OutboundClient.Unavailable`, `MaildirInbox.FileError`.
    package func makeRoutes(
        _ store: Store, _ keys: NotificationKeys, _ time: any Time, _ logger: Logger
    ) throws -> [Channel: any MessageRoute] {
        var shared: MaildirInbox?
        func inbox() throws -> MaildirInbox {
            let inbox = try shared ?? makeInbox(dataFolder: store.folder)
            shared = inbox
            return inbox
        }
        let client = try makeProviderClient()
        return try makeEmailRoute(
            inbox: inbox, store: store, keys: keys, time: time, logger: logger
        ).merging(
            try makeSMSAndPushRoutes(
                inbox: inbox, client: client, store: store, keys: keys, time: time, logger: logger)
        ) { own, _ in own }
    }

    /// The channel of mails: templates and the suppression list over the transport.
    /// - Parameter inbox: called if there is no mail server.
    /// - Throws: `OutboundClient.Unavailable`, `MaildirInbox.FileError`.
    func makeEmailRoute(
        inbox: () throws -> MaildirInbox, store: Store, keys: NotificationKeys, time: any Time,
        logger: Logger
    ) throws -> [Channel: any MessageRoute] {
        let transport = try makeMailTransport(inbox: inbox, time: time, logger: logger)
        return [
            .email: EmailRoute(
                sender: sender, templates: templates.live, transport: transport,
                unsubscribe: unsubscribe,
                suppressionList: SuppressionList(store: store, keys: keys, time: time),
                renderingThrottle: LogThrottle(time: time), logger: logger)
        ]
    }

    /// The inbox, for channels without a provider.
    /// - Throws: `MaildirInbox.FileError`.
    func makeInbox(dataFolder: String) throws -> MaildirInbox {
        try MaildirInbox(folder: inboxFolder ?? "\(dataFolder)/inbox")
    }

    /// What carries mails: mail servers, or the inbox.
    /// - Throws: as `makeRoutes`.
    func makeMailTransport(
        inbox: () throws -> MaildirInbox, time: any Time, logger: Logger
    ) throws -> any MailTransport {
        guard hasMailServer else { return try inbox() }
        let servers = mailServers.entries.map { entry in
            let name = "smtp \(entry.server.host):\(entry.server.port)"
            return SMTPTransport.Server(
                server: entry.server,
                providerGuard: ProviderGuard(
                    name: name, rate: entry.rate, time: time, logger: logger))
        }
        return SMTPTransport(
            client: try SMTPClient(connections: deliveriesMax), servers: servers,
            timeout: deliveryTimeout, signer: dkim.signer)
    }

    private static func unsubscribe(_ settings: inout SettingsReader) -> UnsubscribeLink? {
        let url = settings.optionalString(
            "unsubscribe-url", unit: "URL",
            reason: """
                https page where readers unsubscribe from bulk mails; {recipient} is replaced by \
                the address, {message} by the mail's id.
                """)
        let link = url.flatMap { UnsubscribeLink($0) }
        settings.require(
            url == nil || link != nil, ["unsubscribe-url"],
            "unsubscribe-url must begin with https:// and have \(UnsubscribeLink.bytesMax) bytes at most"
        )
        return link
    }

    /// A mail server of this machine may write another sender into mails.
    private static let loopback: Set = ["localhost", "127.0.0.1", "::1"]

    private static func sender(_ settings: inout SettingsReader) -> Mailbox {
        let standard = Mailbox.standard
        var address = standard.address.text
        settings.string(
            "sender-address", &address, unit: "email address",
            reason: "The sender of mails, which also receives bounces.")
        var name = standard.name.text
        settings.string(
            "sender-name", &name, unit: "name",
            reason: "The app's name, shown in every mail.")
        let mailbox = Mailbox(name: name, address: address)
        settings.require(
            mailbox != nil, ["sender-address", "sender-name"],
            "sender-address must be one email address, and sender-name have 100 bytes at most")
        return mailbox ?? standard
    }
}

extension Mailbox {
    /// The default sender.
    fileprivate static var standard: Mailbox {
        guard let mailbox = Mailbox(name: "Postern", address: "no-reply@localhost") else {
            preconditionFailure("the default sender is invalid")
        }
        return mailbox
    }
}
