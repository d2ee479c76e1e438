import Cryptography
package import Outbound
package import ServiceRuntime

/// What an operator can set of the notification service. Without a mail server mails go into the
/// inbox folder, so that everything runs on defaults.
package struct NotificationSettings: Settings {
    /// The mail server; nil for the inbox.
    package let server: SMTPServer?
    /// Who mails are from.
    package let sender: Mailbox
    /// The inbox's folder; nil for `inbox` in the data folder.
    package let inboxFolder: String?
    /// Tries at the same time.
    package let deliveriesMax: Int
    /// How long one try may take.
    package let deliveryTimeout: Duration
    /// Messages that one recipient may be sent at once, in each lane.
    package let recipientBurst: Int
    /// Between two of those that follow.
    package let recipientInterval: Duration
    /// What messages say.
    package let templates: TemplateSettings

    package init(reading settings: inout SettingsReader) {
        templates = TemplateSettings(reading: &settings)
        sender = Self.sender(&settings)
        server = Self.server(&settings, clientName: sender.address.domain)
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
        recipientBurst = settings.integer(
            "recipient-burst", default: 20, in: 1...1_000, unit: "messages",
            reason: "One recipient is sent so many at once; later ones wait, none is lost.")
        recipientInterval = settings.duration(
            "recipient-interval", default: .seconds(10), in: .milliseconds(1)...(.seconds(3_600)),
            reason: "After recipient-burst one recipient is sent one message in each.")
    }

    /// The ways that messages leave.
    /// - Parameter dataFolder: where the inbox is, unless it is set.
    /// - Throws: `OutboundClient.Unavailable`, `InboxError`.
    package func makeRoutes(dataFolder: String) throws -> [Channel: any MessageRoute] {
        [
            .email: MailDelivery(
                sender: sender, templates: templates.live,
                route: try makeMailRoute(dataFolder: dataFolder))
        ]
    }

    /// The way that mails leave.
    package func makeMailRoute(dataFolder: String) throws -> any MailRoute {
        guard let server else {
            return try MaildirInbox(folder: inboxFolder ?? "\(dataFolder)/inbox")
        }
        let client = try OutboundClient(
            limits: .init(transfersMax: deliveriesMax, connectionsMax: deliveriesMax))
        return SMTPRoute(client: client, server: server, timeout: deliveryTimeout)
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

    private static func server(
        _ settings: inout SettingsReader, clientName: String
    ) -> SMTPServer? {
        let host = settings.optionalString(
            "smtp-host", unit: "host", reason: "The mail server; without one mails go to the inbox."
        )
        let port = settings.integer(
            "smtp-port", default: 587, in: 1...65_535, unit: "port",
            reason: "587 takes mail from programs (RFC 6409), 25 from other mail servers.")
        let encryption: SMTPServer.Encryption = settings.choice(
            "smtp-encryption", default: .required,
            reason: "STARTTLS, or none for a relay on this machine or a private network.")
        let trustFile = settings.optionalPath(
            "smtp-trust-file", reason: "PEM authorities to trust instead of the system's.")
        let user = settings.optionalString(
            "smtp-user", unit: "name", reason: "Who we are to the mail server.")
        let password = settings.secret("smtp-password", reason: "smtp-user's password.")
        settings.require(
            (user == nil) == (password == nil), ["smtp-user", "smtp-password"],
            "smtp-user and smtp-password go together")
        settings.require(
            password == nil || encryption == .required, ["smtp-encryption", "smtp-password"],
            "a password does not travel in clear: smtp-encryption must be required")
        guard let host else { return nil }
        let server = SMTPServer(
            host: host, port: UInt16(clamping: port), encryption: encryption,
            credentials: credentials(user, password), clientName: clientName,
            // The operator's own word: relays are commonly private or loopback.
            addresses: .any, trustFile: trustFile)
        settings.require(
            server != nil, ["smtp-host"], "smtp-host must be a host name or an IP address")
        return server
    }

    private static func credentials(
        _ user: String?, _ password: SettingSecret?
    ) -> SMTPServer.Credentials? {
        guard let user, let password else { return nil }
        let secret = password.withBytes { SecretBytes(copying: $0) }
        return SMTPServer.Credentials(user: user, password: secret)
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
