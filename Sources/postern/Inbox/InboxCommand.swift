import ArgumentParser
import Glibc
import JSON
import NotificationService

/// `postern inbox`: mails that were written to the data folder because no mail server is
/// configured.
struct InboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Shows mails that were stored because no mail server is configured.",
        discussion: """
            postern inbox --to ada@example.org --open      opens the link of the newest mail to Ada
            curl "$(postern inbox --link)"                  the newest link, for a script
            """)

    @Option(
        help: """
            The folder of `postern up`. The environment variable POSTERN_ENDPOINTS sets the \
            default: the folder of that file.
            """)
    var data = Endpoints.defaultFolder

    @Flag(help: "Only the newest mail.")
    var latest = false

    @Option(help: "Only mails to this address.")
    var to: String?

    @Flag(help: "Open the newest mail's link in the browser, or its file if it has no link.")
    var open = false

    @Flag(help: "Print only the newest link.")
    var link = false

    @OptionGroup var output: OutputOption

    func validate() throws {
        guard !open || !link else { throw ValidationError("give only one of --open and --link") }
    }

    func run() throws {
        let folder = "\(data)/inbox"
        try Self.checkReadable(data, folder)
        var mails = MaildirReader(folder: folder).mails()
        if let to { mails = mails.filter { $0.to.lowercased().contains(to.lowercased()) } }
        let place = to.map { "to \($0) in \(folder)" } ?? "in \(folder)"
        if link { return try Screen.item(Self.newestLink(mails, place)) }
        if open { return try open(mails, in: folder, place) }
        if latest { mails = mails.suffix(1) }
        if output.isJSON { return try output.show(mails.map(\.row)) }
        guard !mails.isEmpty else { return Screen.line("no mails \(place)") }
        for mail in mails { Screen.line(mail.page) }
    }

    /// An inbox without mails has no folder; any other folder that cannot be read is an error, and
    /// so is one that is no folder of `postern up`.
    static func checkReadable(_ data: String, _ folder: String) throws {
        guard access(data, F_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw ToolError(
                "\(data): \(reason); give the folder of `postern up` with --data")
        }
        for path in [data, folder, "\(folder)/new", "\(folder)/cur"] {
            guard access(path, R_OK | X_OK) == 0 || errno == ENOENT else {
                throw ToolError.system(path, errno)
            }
        }
        let isOfUp = access(folder, F_OK) == 0 || access("\(data)/endpoints.json", F_OK) == 0
        guard isOfUp else {
            throw ToolError("\(data) is no folder of `postern up`: name that one with --data")
        }
    }

    /// The newest link of all mails, the oldest first.
    /// - Parameter place: whose mails they are, and where.
    static func newestLink(_ mails: [MaildirReader.Mail], _ place: String) throws -> String {
        guard let link = mails.compactMap(\.link).last else {
            throw ToolError(mails.isEmpty ? "no mails \(place)" : "no mail \(place) has a link")
        }
        return link
    }

    private func open(
        _ mails: [MaildirReader.Mail], in folder: String, _ place: String
    ) throws {
        guard let newest = mails.last else { throw ToolError("no mails \(place)") }
        try DesktopProgram.open(newest.link ?? newest.file(in: folder))
    }
}

extension MaildirReader.Mail {
    /// The first link of its text; nil if there is none.
    var link: String? {
        text.split { $0.isWhitespace }.first { word in
            word.hasPrefix("https://") || word.hasPrefix("http://")
        }.map(String.init)
    }

    /// Its file; a mail program moves it from `new` to `cur`.
    fileprivate func file(in folder: String) -> String {
        let unread = "\(folder)/new/\(name)"
        return access(unread, F_OK) == 0 ? unread : "\(folder)/cur/\(name)"
    }

    /// The mail as it is printed.
    var page: String {
        """
        ── \(date)
        From: \(from)
        To: \(to)
        Subject: \(subject)

        \(text)
        """.printable
    }

    fileprivate var row: Row {
        Row([
            .init("date", date), .init("from", from), .init("to", to), .init("subject", subject),
            .init("link", link.map { .string($0) } ?? .null, text: link ?? ""),
            .init(json: "text", .string(text)),
        ])
    }
}
