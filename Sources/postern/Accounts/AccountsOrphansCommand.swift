import ArgumentParser
import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts orphans`.
    struct Orphans: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists rows of accounts whose counterpart is missing, and repairs them.",
            discussion: """
                Identity checks at its start and every hour. It repairs by itself what is safe, \
                and deletes nothing.
                """,
            subcommands: [List.self, Repair.self], defaultSubcommand: List.self)

        /// `postern accounts orphans list`.
        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lists what the last check has found, 1,000 of each kind at most.")

            @Option(help: "Only orphans of this kind, for example session.") var kind = ""
            @OptionGroup var admin: Options
            @OptionGroup var output: OutputOption

            func run() async throws {
                try await admin.call { accounts, identity in
                    var (writer, found) = (output.writer, 0)
                    var request = GatewayV1.ListOrphansRequest(kind: kind)
                    var page: GatewayV1.ListOrphansResponse
                    repeat {
                        page = try await accounts.listOrphans(request, identity.context)
                        found += page.orphans.count
                        if found == 0, !output.isJSON {
                            return Screen.line(Self.nothing(checkedAt: page.checkedAtMs))
                        }
                        try writer.write(page.orphans.map(\.row))
                        request.pageToken = page.nextPageToken
                    } while !request.pageToken.isEmpty
                    try writer.finish()
                }
            }

            /// What is said instead of an empty list.
            static func nothing(checkedAt milliseconds: Int64) -> String {
                guard milliseconds > 0 else {
                    return "nothing found, but not every service has been checked yet"
                }
                return "no orphans; checked \(Timestamp(milliseconds: milliseconds).text)"
            }
        }

        /// `postern accounts orphans repair session acc_…`.
        struct Repair: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Repairs one orphan, after it is checked again.",
                discussion: """
                    An account without a profile gets an empty one. Data of an account that does \
                    not exist is deleted where it is. The row of a photo or an export whose file is \
                    missing is deleted: first restore the file, if a backup has it.
                    """)

            @Argument(help: "The kind, as in the list.") var kind: String
            @Argument(help: "The account's id, as in the list.") var account: String
            @OptionGroup var admin: Options
            @OptionGroup var confirmation: ConfirmationOption

            func run() async throws {
                try confirmation.confirm("orphan \(kind) of \(account) is repaired or deleted")
                try await admin.call { accounts, identity in
                    let request = GatewayV1.RepairOrphanRequest(
                        kind: kind, accountId: account, actor: admin.actor)
                    let answer = try await accounts.repairOrphan(request, identity.context)
                    Screen.line(answer.repaired ? "repaired" : "there was nothing to repair")
                }
            }
        }
    }
}

extension GatewayV1.Orphan {
    /// Its row in a list, as a line `session  acc_…  at session`.
    var row: Row {
        Row([
            .init("kind", kind), .init("account_id", accountId, heading: "account"),
            .init("service", service, phrase: "at \(service)"),
            .init(
                "repairable", .boolean(repairable), text: repairable ? "yes" : "no",
                phrase: repairable ? "" : "not repairable"),
        ])
    }
}
