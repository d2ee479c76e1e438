import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern accounts`: looks accounts up, suspends them and signs them out (I-09).
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Looks accounts up, suspends and restores them, ends their sessions.",
        discussion: """
            Addresses and numbers are masked unless --show is given. Its use is recorded in \
            identity's audit trail, and so is every suspension with its actor.

            An app's support desk can have the same calls: see \
            Protos/postern/gateway/v1/admin.proto.
            """,
        subcommands: [
            LookUp.self, List.self, Suspend.self, Restore.self, SignOut.self,
        ])

    /// `postern accounts look-up ada@example.org`.
    struct LookUp: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "look-up",
            abstract: "Shows one account.",
            discussion: """
                Examples: postern accounts look-up ada@example.org
                          postern accounts look-up +4915112345678
                          postern accounts look-up acc_66cqqcm3fgp8r --show
                          postern accounts look-up https://accounts.google.com 1234567890
                """)

        @Argument(help: "An id, an email, a phone number with its +, or a provider's issuer.")
        var who: String

        @Argument(help: "After an issuer: the subject there.")
        var subject: String?

        @OptionGroup var admin: AccountAdminOptions
        @Flag(help: "Shows email, number and name in full.") var show = false

        func run() async throws {
            let request = IdentityV1.LookUpAccountRequest(
                showPersonal: show, actor: admin.actor,
                by: AccountSearch.by(who, subject: subject))
            try await admin.show { identity in
                try await identity.accounts.lookUpAccount(request, identity.context).account?.lines
                    ?? []
            }
        }
    }

    /// `postern accounts suspend acc_… --reason "…"`.
    struct Suspend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Suspends an account: it cannot be signed in to, and its sessions end.")

        @Argument(help: "The account, acc_….") var account: String
        @Option(help: "The reason, for later reference. It is not shown to the owner.")
        var reason: String
        @OptionGroup var admin: AccountAdminOptions

        func run() async throws {
            let request = IdentityV1.SuspendAccountRequest(
                accountId: account, reason: reason, actor: admin.actor)
            try await admin.show { identity in
                let answer = try await identity.accounts.suspendAccount(request, identity.context)
                return [answer.changed ? "suspended" : "it was suspended already"]
            }
        }
    }

    /// `postern accounts restore acc_…`.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lifts a suspension; the owner has to sign in again.")

        @Argument(help: "The account, acc_….") var account: String
        @OptionGroup var admin: AccountAdminOptions

        func run() async throws {
            let request = IdentityV1.RestoreAccountRequest(
                accountId: account, actor: admin.actor)
            try await admin.show { identity in
                let answer = try await identity.accounts.restoreAccount(request, identity.context)
                return [answer.changed ? "restored" : "it was not suspended"]
            }
        }
    }

    /// `postern accounts sign-out acc_…`.
    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out",
            abstract: "Ends all sessions of an account; its owner can sign in again.")

        @Argument(help: "The account, acc_….") var account: String
        @OptionGroup var admin: AccountAdminOptions

        func run() async throws {
            let request = IdentityV1.SignOutAccountRequest(
                accountId: account, actor: admin.actor)
            try await admin.show { identity in
                _ = try await identity.accounts.signOutAccount(request, identity.context)
                return ["its sessions end within a second"]
            }
        }
    }
}

/// The options of all calls of identity's account administration.
struct AccountAdminOptions: ParsableArguments {
    private static let hints = [
        "account_id": "an account's id is acc_ and thirteen letters and digits"
    ]

    @Option(help: "Who makes the call, for the audit trail: a name or number; optional.")
    var actor = ""

    @OptionGroup var services: EndpointsOption

    /// Calls identity; prints its errors.
    func ask(_ question: (Caller) async throws -> Void) async throws {
        try await services.ask("identity", hints: Self.hints, question)
    }

    /// Prints the lines that `question` makes of a response.
    func show(_ question: (Caller) async throws -> [String]) async throws {
        try await services.show("identity", hints: Self.hints, question)
    }
}

extension Caller {
    /// Identity's account administration.
    var accounts: AccountAdminClient { AccountAdminClient(client) }
}
