import Outbound
import ServiceRuntime

/// The mail servers, in the order in which they are tried (N-01). Each has settings with its own
/// prefix: `smtp-…`, `smtp-second-…`, `smtp-third-…`.
struct MailServerSettings: Sendable {
    /// One server.
    struct Entry: Sendable {
        /// Its address and credentials.
        let server: SMTPServer
        /// The rate limit in mails per second; nil for none.
        let rate: Double?
    }

    private static let prefixes = ["smtp", "smtp-second", "smtp-third"]

    /// The servers; empty when mails go to the inbox.
    let entries: [Entry]

    init(reading settings: inout SettingsReader, clientName: String) {
        var entries: [Entry?] = []
        for prefix in Self.prefixes {
            entries.append(Self.entry(&settings, prefix, clientName: clientName))
        }
        self.entries = entries.compactMap(\.self)
        let known = entries.prefix { $0 != nil }.count
        settings.require(
            known == self.entries.count, Self.prefixes.map { "\($0)-host" },
            "mail servers are set in order: smtp-host, smtp-second-host, smtp-third-host")
    }

    private static func entry(
        _ settings: inout SettingsReader, _ prefix: String, clientName: String
    ) -> Entry? {
        let host = settings.optionalString(
            "\(prefix)-host", unit: "host", reason: Self.reason(prefix))
        var encryption = SMTPServer.Encryption.required
        settings.choice(
            "\(prefix)-encryption", &encryption,
            reason: """
                required: STARTTLS; implicit: TLS from the start; none: only for a relay on this \
                machine or in a private network.
                """)
        var port = encryption == .implicit ? 465 : 587
        settings.integer(
            "\(prefix)-port", &port, in: 1...65_535, unit: "port",
            reason: "587: submission (RFC 6409); 465: the same with implicit TLS; 25: relay.")
        let trustFile = settings.optionalPath(
            "\(prefix)-trust-file", reason: "PEM authorities to trust instead of the system's.")
        var rate = 0
        settings.integer(
            "\(prefix)-rate", &rate, in: 0...100_000, unit: "mails/s",
            reason: "The server's rate limit; 0 for none. Mails over it wait.")
        let credentials = credentials(&settings, prefix, encryption)
        guard let host else { return nil }
        let server = SMTPServer(
            host: host, port: UInt16(clamping: port), encryption: encryption,
            credentials: credentials, clientName: clientName,
            // The operator sets the host, so it is trusted: relays often have private or loopback
            // addresses.
            addresses: .any, trustFile: trustFile)
        settings.require(
            server != nil, ["\(prefix)-host"], "\(prefix)-host must be a host name or an IP address"
        )
        return server.map { Entry(server: $0, rate: rate == 0 ? nil : Double(rate)) }
    }

    private static func reason(_ prefix: String) -> String {
        prefix == "smtp"
            ? "The mail server; without one mails go to the inbox."
            : "The mail server for mails that the previous ones cannot take."
    }

    private static func credentials(
        _ settings: inout SettingsReader, _ prefix: String, _ encryption: SMTPServer.Encryption
    ) -> SMTPServer.Credentials? {
        let (userName, passwordName) = ("\(prefix)-user", "\(prefix)-password")
        let tokenName = "\(prefix)-token-path"
        let user = settings.optionalString(
            userName, unit: "name", reason: "The user name at the mail server.")
        let password = settings.secret(passwordName, reason: "\(userName)'s password.")
        let token = settings.optionalPath(
            tokenName,
            reason: "Instead of a password: the file of an OAuth 2.0 access token, kept fresh.")
        let isProved = password != nil || token != nil
        settings.require(
            password == nil || token == nil, [passwordName, tokenName],
            "\(passwordName) or \(tokenName), not both")
        settings.require(
            (user != nil) == isProved, [userName, passwordName],
            "\(userName) and \(passwordName) go together")
        settings.require(
            !isProved || encryption != .none, ["\(prefix)-encryption", passwordName],
            "a password needs encryption: \(prefix)-encryption must be required or implicit"
        )
        guard let user else { return nil }
        if let token { return SMTPServer.Credentials(user: user, proof: .tokenFile(token)) }
        return password.map { SMTPServer.Credentials(user: user, password: $0.secretBytes) }
    }
}
