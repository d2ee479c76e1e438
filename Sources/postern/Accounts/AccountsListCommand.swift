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
                Days are UTC. With millions of accounts the search may take a while; Ctrl-C ends it.

                Example: postern accounts list --status suspended --created-from 2026-01-31
                """)

        /// The values of --status.
        enum Status: String, CaseIterable, ExpressibleByArgument {
            case active, suspended, pending, deleting

            var message: IdentityV1.AccountStatus {
                switch self {
                case .active: .active
                case .suspended: .suspended
                case .pending: .pendingVerification
                case .deleting: .deleting
                }
            }
        }

        @Option(help: "Only accounts with this status.") var status: Status?
        @Option(help: "Only accounts created on this day or later.") var createdFrom: Day?
        @Option(help: "Only accounts created before this day.") var createdBefore: Day?
        @Option(help: "Only accounts that last signed in on this day or later.")
        var signedInFrom: Day?
        @Option(help: "Only accounts that last signed in before this day, or never.")
        var signedInBefore: Day?
        @Option(help: "Maximum number of accounts.") var limit = 50
        @Flag(help: "Shows emails in full.") var show = false
        @OptionGroup var admin: AccountAdminOptions

        func validate() throws {
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 1000000")
            }
        }

        func run() async throws {
            try await admin.ask { identity in
                var left = limit
                var request = self.request
                repeat {
                    request.limit = UInt32(clamping: left)
                    let page = try await identity.accounts.listAccounts(
                        request, identity.context)
                    for account in page.accounts.prefix(left) { try Screen.item(account.line) }
                    left -= page.accounts.count
                    request.page = page.nextPage
                } while left > 0 && !request.page.isEmpty
            }
        }

        private var request: IdentityV1.ListAccountsRequest {
            IdentityV1.ListAccountsRequest(
                status: status?.message ?? .unspecified,
                createdFromMs: createdFrom?.milliseconds ?? 0,
                createdBeforeMs: createdBefore?.milliseconds ?? 0,
                signedInFromMs: signedInFrom?.milliseconds ?? 0,
                signedInBeforeMs: signedInBefore?.milliseconds ?? 0, showPersonal: show,
                actor: admin.actor)
        }
    }
}

/// A day on the command line, `2026-01-31`, as its first millisecond in UTC.
struct Day: Hashable, ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2]),
            year >= 1970, (1...12).contains(month), (1...Self.days(month, year)).contains(day)
        else { return nil }
        milliseconds = Self.daysSince1970(year, month, day) * 86_400_000
    }

    private static func days(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts years from March, so that the leap day is a year's last (H. Hinnant,
    /// https://howardhinnant.github.io/date_algorithms.html, days_from_civil).
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
