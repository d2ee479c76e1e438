import ArgumentParser
import NotificationService

/// `postern inbox`: mails that were written to the data folder because no mail server is
/// configured.
struct InboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Shows mails that were stored because no mail server is configured.")

    @Option(help: "The folder of `postern up`.")
    var data = ".postern"

    @Flag(help: "Only the newest mail.")
    var latest = false

    @Option(help: "Only mails to this address.")
    var to: String?

    func run() throws {
        var mails = MaildirReader(folder: "\(data)/inbox").mails()
        if let to { mails = mails.filter { $0.to.lowercased().contains(to.lowercased()) } }
        if latest { mails = mails.suffix(1) }
        guard !mails.isEmpty else { return Screen.line("no mails in \(data)/inbox") }
        for mail in mails {
            Screen.line(
                """
                ── \(mail.date)
                From: \(mail.from)
                To: \(mail.to)
                Subject: \(mail.subject)

                \(mail.text)
                """)
        }
    }
}
