import ArgumentParser

/// `postern mail`: what an operator needs so that mails arrive (N-01).
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Shows what the DNS must say of mails, and frees stopped addresses.",
        subcommands: [DNS.self, Address.self, Release.self])
}
