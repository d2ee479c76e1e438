package import Logging
import Outbound
package import ServiceRuntime
package import Storage

/// What an operator can set of the notification service. Without a mail server mails go into the
/// inbox folder, so that everything runs on defaults.
package struct NotificationSettings: Settings {
    /// The mail servers; none for the inbox.
    package let mailServers: MailServerSettings
    /// Who signs mails.
    package let dkim: DKIMSettings
    /// Where readers end bulk mails; nil where they cannot.
    package let unsubscribe: UnsubscribeLink?
    /// Who mails are from.
    package let sender: Mailbox
    /// The inbox's folder; nil for `inbox` in the data folder.
    package let inboxFolder: String?
    /// Tries at the same time.
    package let deliveriesMax: Int
    /// How long one try may take.
    package let deliveryTimeout: Duration
    /// The longest try, over all servers; a message's lease ends after that.
    private static let tryMax = Delivery.lease - Delivery.waitForTryMax
    /// Messages that one recipient may be sent at once, in each lane.
    package let recipientBurst: Int
    /// Between two of those that follow.
    package let recipientInterval: Duration
    /// What messages say.
    package let templates: TemplateSettings

    /// What holds for every provider of text and push messages.
    package let providers: ProviderSettings
    /// Text messages.
    package let sms: SMSSettings
    /// Push messages.
    package let push: PushSettings

    package init(reading settings: inout SettingsReader) {
        providers = ProviderSettings(&settings)
        sms = SMSSettings(&settings, providers)
        push = PushSettings(&settings, providers)
        templates = TemplateSettings(reading: &settings)
        sender = Self.sender(&settings)
        mailServers = MailServerSettings(
            reading: &settings, clientName: sender.address.domain)
        dkim = DKIMSettings(reading: &settings, senderDomain: sender.address.domain)
        unsubscribe = Self.unsubscribe(&settings)
        inboxFolder = settings.optionalPath(
            "inbox-folder",
            reason:
                "The Maildir for mails while smtp-host is not set; by default in the data folder.")
        deliveriesMax = settings.integer(
            "deliveries-max", default: 8, in: 1...256, unit: "tries",
            reason: "Tries at the same time in each channel, and connections to the mail server.")
        deliveryTimeout = settings.duration(
            "delivery-timeout", default: .seconds(30), in: .seconds(1)...(.seconds(120)),
            reason: "A mail server that takes longer is left, and the mail tried again later.")
        settings.require(
            deliveryTimeout * mailServers.entries.count <= Self.tryMax, ["delivery-timeout"],
            "all mail servers together may take 2 minutes for one mail: lower delivery-timeout")
        recipientBurst = settings.integer(
            "recipient-burst", default: 20, in: 1...1_000, unit: "messages",
            reason: """
                One recipient is sent so many at once; later ones wait. Of mails that he did not ask \
                for 20 wait, and further ones are dropped.
                """)
        recipientInterval = settings.duration(
            "recipient-interval", default: .seconds(10), in: .milliseconds(1)...(.seconds(3_600)),
            reason: "After recipient-burst one recipient is sent one message in each.")
    }

    /// The ways that messages leave.
    /// - Parameter dataFolder: where the inbox is, unless it is set.
    /// - Throws: `OutboundClient.Unavailable`, `InboxError`.
    package func makeRoutes(
        dataFolder: String, store: Store, keys: NotificationKeys, time: any Time, logger: Logger
    ) throws -> [Channel: any MessageRoute] {
        let route = try makeMailRoute(dataFolder: dataFolder, time: time, logger: logger)
        return [
            .email: MailDelivery(
                sender: sender, templates: templates.live, route: route, unsubscribe: unsubscribe,
                stops: StoppedAddressList(store: store, keys: keys, time: time))
        ]
    }

    /// The inbox, for what has no provider.
    /// - Throws: `InboxError`.
    package func makeInbox(dataFolder: String) throws -> MaildirInbox {
        try MaildirInbox(folder: inboxFolder ?? "\(dataFolder)/inbox")
    }

    /// The way that mails leave.
    /// - Throws: as above.
    func makeMailRoute(
        dataFolder: String, time: any Time, logger: Logger
    ) throws -> any MailRoute {
        guard !mailServers.entries.isEmpty else {
            return try makeInbox(dataFolder: dataFolder)
        }
        let servers = mailServers.entries.map { entry in
            let name = "smtp \(entry.server.host):\(entry.server.port)"
            return SMTPRoute.Server(
                entry.server,
                gate: ProviderGuard(name: name, rate: entry.rate, time: time, logger: logger))
        }
        return SMTPRoute(
            client: try SMTPClient(connections: deliveriesMax), servers: servers,
            timeout: deliveryTimeout, signer: dkim.signer)
    }

    private static func unsubscribe(_ settings: inout SettingsReader) -> UnsubscribeLink? {
        let url = settings.optionalString(
            "unsubscribe-url", unit: "URL",
            reason: """
                https page where readers end mails that they need not have; {recipient} stands \
                for the address, {message} for the mail's id.
                """)
        let link = url.flatMap { UnsubscribeLink($0) }
        settings.require(
            url == nil || link != nil, ["unsubscribe-url"],
            "unsubscribe-url must begin with https:// and have \(UnsubscribeLink.bytesMax) bytes at most"
        )
        return link
    }

    private static func sender(_ settings: inout SettingsReader) -> Mailbox {
        let address = settings.string(
            "sender-address", default: "no-reply@localhost", unit: "email address",
            reason: "Who mails are from, and who hears of bounces.")
        let name = settings.string(
            "sender-name", default: "Postern", unit: "name",
            reason: "What people know the app by; stands in every mail.")
        let mailbox = Mailbox(name: name, address: address)
        settings.require(
            mailbox != nil, ["sender-address", "sender-name"],
            "sender-address must be one email address, and sender-name have 100 bytes at most")
        return mailbox ?? .placeholder
    }
}

extension Mailbox {
    /// Stands where the settings are wrong, which ends the program before a mail is made.
    fileprivate static var placeholder: Mailbox {
        guard let standard = Mailbox(name: "Postern", address: "no-reply@localhost") else {
            preconditionFailure("the default sender is a mailbox")
        }
        return standard
    }
}
