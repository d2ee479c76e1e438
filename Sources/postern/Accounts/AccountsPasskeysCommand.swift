import ArgumentParser
import Contracts
import Messages
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts passkeys ada@example.org --remove` (F-01).
    struct Passkeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passkeys",
            abstract: "Shows how many passkeys an account has, or removes them all.",
            discussion: """
                --remove is for a person who reports that a passkey is not theirs, or is lost. It is \
                done at once, all sessions end, and the owner is notified. The owner signs in by another \
                method, and adds a passkey again.

                The caller may not be the owner: look at `postern accounts activity` first.
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Flag(help: "Removes all passkeys.") var remove = false
        @OptionGroup var admin: Options

        func run() async throws {
            try await admin.change(account) { id, accounts, context in
                guard remove else {
                    let answer = try await accounts.lookUpAccount(
                        GatewayV1.LookUpAccountRequest(actor: admin.actor, by: .accountId(id)),
                        context)
                    return Self.line(answer.account ?? GatewayV1.AdminAccount())
                }
                let answer = try await accounts.removeAccountPasskeys(
                    GatewayV1.RemoveAccountPasskeysRequest(accountId: id, actor: admin.actor),
                    context)
                return answer.removed == 0 ? "it has no passkey" : "removed: \(answer.removed)"
            }
        }

        private static func line(_ account: GatewayV1.AdminAccount) -> String {
            guard account.passkeys > 0 else { return "it has no passkey" }
            let used = Timestamp(milliseconds: account.passkeyLastUsedAtMs).text
            return "passkeys: \(account.passkeys), last used at \(used)"
        }
    }
}
