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
                    request.pageSize = UInt32(clamping: left)
                    let page = try await accounts.listAccounts(request, identity.context)
                    try writer.write(page.accounts.prefix(left).map(\.row))
                    left -= page.accounts.count
                    request.pageToken = page.nextPageToken
                } while left > 0 && !request.pageToken.isEmpty
                try writer.finish()
                if !request.pageToken.isEmpty { Screen.sayMore(than: limit) }
            }
        }

        private var request: GatewayV1.ListAccountsRequest {
            GatewayV1.ListAccountsRequest(
                status: status ?? .unspecified, showPersonalData: show, actor: admin.actor,
                createdFrom: Self.bound(createdFrom).map { .createdFromAtMs($0) },
                createdBefore: Self.bound(createdBefore).map { .createdBeforeAtMs($0) },
                signedInFrom: Self.bound(signedInFrom).map { .signedInFromAtMs($0) },
                signedInBefore: Self.bound(signedInBefore).map { .signedInBeforeAtMs($0) })
        }

        /// A bound for identity; nil for none, which 1970-01-01 is too: identity refuses 0.
        private static func bound(_ moment: Moment?) -> Int64? {
            moment.flatMap { $0.milliseconds == 0 ? nil : $0.milliseconds }
        }
    }
}
