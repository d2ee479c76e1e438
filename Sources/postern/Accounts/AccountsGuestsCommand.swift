import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts guests`.
    struct Guests: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists guests without a session, and when each is deleted.",
            discussion: """
                Identity's setting guest-kept says how long a guest is kept after its last use; \
                guest-kept=forever keeps all.
                """)

        @OptionGroup var admin: Options
        @OptionGroup var output: OutputOption

        func run() async throws {
            try await admin.call { accounts, identity in
                var writer = output.writer
                var request = GatewayV1.ListUnusedGuestsRequest()
                repeat {
                    let page = try await accounts.listUnusedGuests(request, identity.context)
                    try writer.write(page.guests.map(\.row))
                    request.pageToken = page.nextPageToken
                } while !request.pageToken.isEmpty
                try writer.finish(ifEmpty: "no guests without a session")
            }
        }
    }
}

extension GatewayV1.UnusedGuest {
    /// Its row in a list, as a line `acc_…  last seen 2026-01-31  will be deleted 2026-07-30`.
    var row: Row {
        let (seen, deleted) = (Self.day(lastSeenAtMs), Self.day(deletedAtMs))
        return Row([
            .init("account_id", accountId, heading: "account"),
            .init(
                "last_seen_at", .moment(lastSeenAtMs), text: seen ?? "not known",
                phrase: seen.map { "last seen \($0)" } ?? "last use not known", heading: "last seen"
            ),
            .init(
                "deleted_at", .moment(deletedAtMs), text: deleted ?? "never",
                phrase: deleted.map { "will be deleted \($0)" } ?? "kept", heading: "deleted"),
        ])
    }

    private static func day(_ milliseconds: Int64) -> String? {
        milliseconds == 0 ? nil : String(Timestamp(milliseconds: milliseconds).text.prefix(10))
    }
}
