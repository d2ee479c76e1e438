import ArgumentParser
import Contracts
import Messages
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts reset-second-factors ada@example.org --reason "…"` (F-03).
    struct ResetSecondFactors: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-second-factors",
            abstract: "Removes all second factors of an account whose owner has lost them.",
            discussion: """
                It is done after identity's second-factor-reset-wait (24 hours). The owner is told \
                at once and when it is done, by mail and on every device for push messages, and can \
                stop it by a second factor or by the link of the mail. Then all sessions end, and \
                the owner signs in by the first proof alone.

                Whoever calls may not be the owner: look at `postern accounts activity` first.
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Option(help: "The reason, for later reference. It is not shown to the owner.")
        var reason: String
        @OptionGroup var admin: Options

        func run() async throws {
            try await admin.change(account) { id, accounts, context in
                let answer = try await accounts.resetSecondFactors(
                    GatewayV1.ResetSecondFactorsRequest(
                        accountId: id, reason: reason, actor: admin.actor), context)
                guard answer.dueAtMs > 0 else {
                    return answer.changed ? "removed" : "it has no second factor"
                }
                let due = Timestamp(milliseconds: answer.dueAtMs).text
                return answer.changed
                    ? "they are removed at \(due)"
                    : "they are removed at \(due), as requested before"
            }
        }
    }
}
