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

        @OptionGroup var admin: Options
        @Flag(help: "Shows email, number and name in full.") var show = false

        func run() async throws {
            let request = IdentityV1.LookUpAccountRequest(
                showPersonalData: show, actor: admin.actor,
                by: Self.key(who, subject: subject))
            try await admin.show { try await $0.lookUpAccount(request, $1).account?.lines ?? [] }
        }

        /// The key to look an account up by. With a subject the text is an issuer. An id begins
        /// with `acc_`, a number with `+`; anything else is an email.
        static func key(
            _ text: String, subject: String?
        ) -> IdentityV1.LookUpAccountRequest.By {
            if let subject { return .providerSubject(.init(issuer: text, subject: subject)) }
            if text.hasPrefix("acc_") { return .accountId(text) }
            return text.hasPrefix("+") ? .phoneNumber(text) : .email(text)
        }
    }

    /// `postern accounts suspend acc_… --reason "…"`.
    struct Suspend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Suspends an account: it cannot be signed in to, and its sessions end.")

        @Argument(help: "The account, acc_….") var account: String
        @Option(help: "The reason, for later reference. It is not shown to the owner.")
        var reason: String
        @OptionGroup var admin: Options

        func run() async throws {
            let request = IdentityV1.SuspendAccountRequest(
                accountId: account, reason: reason, actor: admin.actor)
            try await admin.show { accounts, context in
                let answer = try await accounts.suspendAccount(request, context)
                return [answer.changed ? "suspended" : "it was suspended already"]
            }
        }
    }

    /// `postern accounts restore acc_…`.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lifts a suspension; the owner has to sign in again.")

        @Argument(help: "The account, acc_….") var account: String
        @OptionGroup var admin: Options

        func run() async throws {
            let request = IdentityV1.RestoreAccountRequest(
                accountId: account, actor: admin.actor)
            try await admin.show { accounts, context in
                let answer = try await accounts.restoreAccount(request, context)
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
        @OptionGroup var admin: Options

        func run() async throws {
            let request = IdentityV1.SignOutAccountRequest(
                accountId: account, actor: admin.actor)
            try await admin.show { accounts, context in
                _ = try await accounts.signOutAccount(request, context)
                return ["its sessions end within a second"]
            }
        }
    }

    /// The options of all calls of identity's account administration.
    struct Options: ParsableArguments {
        @Option(help: "Who makes the call, for the audit trail: a name or number; optional.")
        var actor = ""

        @OptionGroup var services: EndpointsOption

        /// Calls identity, several times if `body` does; prints its errors.
        func call(_ body: (AccountAdminClient, Caller) async throws -> Void) async throws {
            let hints = ["account_id": "an account's id is acc_ and thirteen letters and digits"]
            try await services.call("identity", hints: hints) { identity in
                try await body(AccountAdminClient(identity.client), identity)
            }
        }

        /// Prints the lines that `question` makes of a response.
        func show(
            _ question: (AccountAdminClient, CallContext) async throws -> [String]
        ) async throws {
            try await call { accounts, identity in
                try await question(accounts, identity.context).forEach(Screen.line)
            }
        }
    }
}
