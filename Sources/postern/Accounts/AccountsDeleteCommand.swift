import ArgumentParser
import Contracts
import Messages
import ServiceRuntime

extension AccountsCommand {
    /// `postern accounts delete ada@example.org` (G-20).
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes an account and all its data.",
            discussion: """
                The deletion begins at once: sign-in is refused, all sessions end, and the data is \
                deleted in every service. It cannot be undone. With --wait it begins after \
                identity's deletion-wait (7 days); the owner is mailed and can cancel it.

                `postern deletions` shows how far it is. A repeat changes nothing. A deletion that \
                waits at the step backend, for an app's backend that does not answer, goes on with \
                --backend-done.
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Flag(help: "Begin after identity's deletion-wait; until then the owner can cancel.")
        var wait = false
        @Flag(help: "The app's backend has deleted its part: do not wait for it.")
        var backendDone = false
        @OptionGroup var admin: Options
        @OptionGroup var confirmation: ConfirmationOption

        func validate() throws {
            guard !(wait && backendDone) else {
                throw ValidationError("--backend-done is of a deletion that does not wait")
            }
        }

        func run() async throws {
            if !wait {
                try confirmation.confirm("\(account) will be deleted, with all its data")
            }
            try await admin.change(account) { id, accounts, context in
                let answer = try await accounts.deleteAccount(
                    GatewayV1.DeleteAccountRequest(
                        accountId: id, wait: wait, actor: admin.actor, backendDone: backendDone),
                    context)
                return "\(id): \((answer.deletion ?? .init()).phrase)"
            }
        }
    }
}
