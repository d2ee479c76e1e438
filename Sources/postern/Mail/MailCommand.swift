import ArgumentParser

/// `postern mail`: DNS records and suppressed addresses, for the delivery of mail (N-01).
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Prints DNS records for mail, and manages the suppression list.",
        subcommands: [DNS.self, Address.self, Release.self])
}
