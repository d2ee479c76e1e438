import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern accounts`: looks accounts and their activity up, creates and changes them, gives them
/// roles, suspends them, signs them out and deletes them, lists unused guests and orphans (I-04,
/// I-09, I-10).
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Looks accounts up, creates, changes, suspends and deletes them; lists guests.",
        discussion: """
            An account is named by its id, its email or its phone number with the +.

            Addresses and numbers are masked unless --show is given. Its use is recorded in \
            identity's audit trail, and so is every look at an activity, and every change with its \
            actor.

            An app's support desk can have the same calls: see \
            Protos/postern/gateway/v1/admin.proto. For create, change, claims and link an app's \
            backend has backend_accounts.proto.
            """,
        subcommands: [
            LookUp.self, List.self, Activity.self, Create.self, Change.self, Claims.self,
            Link.self, Suspend.self, Restore.self, SignOut.self, ResetSecondFactors.self,
            Passkeys.self, Delete.self, Guests.self, Orphans.self,
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
        @OptionGroup var output: OutputOption

        func run() async throws {
            let request = GatewayV1.LookUpAccountRequest(
                showPersonalData: show, actor: admin.actor,
                by: AccountsCommand.key(who, subject: subject))
            let notFound = AccountsCommand.notFound(who, subject: subject)
            try await admin.call(notFound: notFound) { accounts, identity in
                let answer = try await accounts.lookUpAccount(request, identity.context)
                let details = (answer.account ?? .init()).details
                try output.show(details.json, text: details.record)
            }
        }
    }

    /// The key to look an account up by. With a subject the text is an issuer. An id begins with
    /// `acc_`, a number with `+`; anything else is an email.
    static func key(
        _ text: String, subject: String? = nil
    ) -> GatewayV1.LookUpAccountRequest.By {
        if let subject { return .providerSubject(.init(issuer: text, subject: subject)) }
        if text.hasPrefix("acc_") { return .accountId(text) }
        return text.hasPrefix("+") ? .phoneNumber(text) : .email(text)
    }

    /// What it means that no account was found by this key.
    static func notFound(_ text: String, subject: String? = nil) -> String {
        switch key(text, subject: subject) {
        case .accountId: "no account has this id; `postern accounts list` shows ids"
        case .email: "no account has this email address"
        case .phoneNumber: "no account has this phone number"
        case .providerSubject: "no account can be signed in to as this subject of this issuer"
        }
    }

    /// `postern accounts suspend ada@example.org --reason "…"`.
    struct Suspend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Suspends an account: it cannot be signed in to, and its sessions end.")

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Option(help: "The reason, for later reference. It is not shown to the owner.")
        var reason: String
        @OptionGroup var admin: Options

        func run() async throws {
            try await admin.change(account) { id, accounts, context in
                let request = GatewayV1.SuspendAccountRequest(
                    accountId: id, reason: reason, actor: admin.actor)
                let answer = try await accounts.suspendAccount(request, context)
                return answer.changed ? "suspended" : "it was suspended already"
            }
        }
    }

    /// `postern accounts restore ada@example.org`.
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lifts a suspension; the owner has to sign in again.")

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @OptionGroup var admin: Options

        func run() async throws {
            try await admin.change(account) { id, accounts, context in
                let request = GatewayV1.RestoreAccountRequest(
                    accountId: id, actor: admin.actor)
                let answer = try await accounts.restoreAccount(request, context)
                return answer.changed ? "restored" : "it was not suspended"
            }
        }
    }

    /// `postern accounts sign-out ada@example.org`.
    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out",
            abstract: "Ends all sessions of an account; its owner can sign in again.")

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @OptionGroup var admin: Options

        func run() async throws {
            try await admin.change(account) { id, accounts, context in
                let request = GatewayV1.SignOutAccountRequest(
                    accountId: id, actor: admin.actor)
                _ = try await accounts.signOutAccount(request, context)
                return "its sessions end within a second"
            }
        }
    }

    /// The options of all calls of account administration, which go to identity.
    struct Options: ParsableArguments {
        @Option(help: "Who makes the call, for the audit trail: a name or number; optional.")
        var actor = ""

        @OptionGroup var services: EndpointsOption

        /// Calls identity, several times if `body` does; prints its errors.
        /// - Parameter notFound: what it means that nothing was found.
        func call(
            notFound: String? = nil, _ body: (AdminClient, Caller) async throws -> Void
        ) async throws {
            try await services.call("identity", hints: Self.hints, notFound: notFound) { identity in
                try await body(AdminClient(identity.client), identity)
            }
        }

        /// Changes an account and prints the result.
        /// - Parameter account: its id, email or phone number.
        func change(
            _ account: String,
            _ body: (_ id: String, AdminClient, CallContext) async throws -> String
        ) async throws {
            try await call(notFound: AccountsCommand.notFound(account)) { accounts, identity in
                let id = try await identity.accountID(of: account, actor: actor)
                Screen.line(try await body(id, accounts, identity.context))
            }
        }

        /// What to do about a rejected field.
        static let hints = [
            "kind": "there is no such kind, or it cannot be repaired: `postern accounts orphans`",
            "account_id": "no account has this id; `postern accounts list` shows ids",
            "email": "this is not an email; an id begins with acc_, a phone number with +",
            "reason": "a reason has 1 to 500 bytes",
            "actor": "an actor has letters, digits, spaces and -_.:@/ only, 128 bytes at most",
            "phone_number": "a phone number has its country code: +4915112345678",
        ]
    }
}

extension Caller {
    /// The id of the account that the operator names by its id, email or phone number. For a caller
    /// of identity.
    /// - Throws: `ServiceError`: `rpc/not-found` if there is no such account.
    func accountID(of account: String, actor: String) async throws -> String {
        if account.hasPrefix("acc_") { return account }
        let request = GatewayV1.LookUpAccountRequest(
            showPersonalData: false, actor: actor, by: AccountsCommand.key(account))
        return try await AdminClient(client).lookUpAccount(request, context)
            .account?.account?.accountId ?? ""
    }
}
