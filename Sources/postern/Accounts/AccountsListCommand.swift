import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts list --status suspended`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists accounts, one per line.",
            discussion: """
                Times are days in UTC, 2026-01-31, or 2026-01-31T09:05. With millions of accounts \
                the search may take a while; Ctrl-C ends it.

                Example: postern accounts list --status suspended --created-from 2026-01-31
                """)

        @Option(help: "Only accounts with this status.") var status: GatewayV1.AccountStatus?
        @Option(help: "Only accounts created at this time or later.") var createdFrom: Moment?
        @Option(help: "Only accounts created before this time.") var createdBefore: Moment?
        @Option(help: "Only accounts that last signed in at this time or later.")
        var signedInFrom: Moment?
        @Option(help: "Only accounts that last signed in before this time, or never.")
        var signedInBefore: Moment?
        @Option(help: "Maximum number of accounts.") var limit = 50
        @Flag(help: "Shows emails in full.") var show = false
        @OptionGroup var admin: Options
        @OptionGroup var output: OutputOption

        func validate() throws {
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 1000000")
            }
        }

        func run() async throws {
            try await admin.call { accounts, identity in
                var (left, writer) = (limit, output.writer)
                var request = self.request
                repeat {
                    request.limit = UInt32(clamping: left)
                    let page = try await accounts.listAccounts(request, identity.context)
                    try writer.write(page.accounts.prefix(left).map(\.row))
                    left -= page.accounts.count
                    request.page = page.nextPage
                } while left > 0 && !request.page.isEmpty
                try writer.finish()
                if !request.page.isEmpty { Screen.sayMore(than: limit) }
            }
        }

        private var request: IdentityV1.ListAccountsRequest {
            IdentityV1.ListAccountsRequest(
                status: status ?? .unspecified,
                createdFromMs: createdFrom?.milliseconds ?? 0,
                createdBeforeMs: createdBefore?.milliseconds ?? 0,
                signedInFromMs: signedInFrom?.milliseconds ?? 0,
                signedInBeforeMs: signedInBefore?.milliseconds ?? 0, showPersonalData: show,
                actor: admin.actor)
        }
    }
}
