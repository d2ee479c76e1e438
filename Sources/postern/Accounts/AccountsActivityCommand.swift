import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts activity ada@example.org`.
    struct Activity: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what happened with an account, the newest first.",
            discussion: """
                Sign-ins and their failures, changes, ends of sessions, acts of operators, from \
                identity and session; without refreshes. Each page is recorded in identity's audit \
                trail, and the account's owner sees that somebody has looked. \
                `postern audit list --account` has the trails of all services.
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Option(help: "Maximum number of entries.") var limit = 50
        @OptionGroup var admin: Options
        @OptionGroup var output: OutputOption

        func validate() throws {
            guard (1...100_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 100000")
            }
        }

        func run() async throws {
            let notFound = AccountsCommand.notFound(account)
            try await admin.call(notFound: notFound) { accounts, identity in
                let id = try await identity.accountID(of: account, actor: admin.actor)
                var (writer, rest) = (output.writer, limit)
                var request = GatewayV1.ListAccountActivityRequest(
                    accountId: id, actor: admin.actor)
                repeat {
                    request.pageSize = UInt32(clamping: min(rest, Self.pageMax))
                    let page = try await accounts.listAccountActivity(request, identity.context)
                    try writer.write(page.entries.map(\.row))
                    rest -= page.entries.count
                    request.pageToken = page.nextPageToken
                } while rest > 0 && !request.pageToken.isEmpty
                try writer.finish(ifEmpty: "no entries")
                if !request.pageToken.isEmpty {
                    Screen.error("more: the same command with a greater --limit")
                }
            }
        }

        /// Entries of one page: as many as identity returns at once.
        private static let pageMax = 100
    }
}

extension GatewayV1.AccountActivityEntry {
    /// Its row in a list, as a line
    /// `2026-01-31T09:05:00.250Z  sign-in.succeeded  google  done  DE  firefox 131, linux`.
    var row: Row {
        let entry = entry ?? GatewayV1.ActivityEntry()
        return Row([
            .init("at", .moment(entry.atMs), text: Timestamp(milliseconds: entry.atMs).text),
            .init("kind", entry.kind), .init("detail", entry.detail),
            .init("outcome", entry.outcome.isEmpty ? "done" : entry.outcome),
            .init("country", entry.country), .init("agent", entry.agent),
            .init("app", entry.app, phrase: entry.app.isEmpty ? "" : "app \(entry.app)"),
            .init("session_id", entry.sessionId, heading: "session"),
            .init("actor", actor, phrase: actor.isEmpty ? "" : "by \(actor)"),
        ])
    }
}
