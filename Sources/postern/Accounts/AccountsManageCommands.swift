import ArgumentParser
import Contracts
import Cryptography
import JSON
import Messages
import RPC
import ServiceRuntime

/// What an app's backend does with `BackendAccounts`, for the operator (I-10). Identity takes the
/// tool's own connection for the token of a backend, which the tool's key cannot make.
extension AccountsCommand {
    /// `postern accounts create --email ada@example.org --verified`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an account, by an email, a phone number, or both.",
            discussion: """
                An account that holds the email and has not verified it is taken over with \
                --verified: the ways to sign in of its former holder are removed.

                Examples: postern accounts create --email ada@example.org --send-verification
                          postern accounts create --phone +4915112345678 --name Ada --role editor
                """)

        @Option(help: "The email.") var email = ""
        @Flag(help: "The email is the person's: you have checked it.") var verified = false
        @Option(help: "The phone number, with its +. You have checked it.") var phone = ""
        @OptionGroup var password: PasswordOption
        @Option(help: "The display name.") var name = ""
        @Option(help: "The language of mails, for example de.") var language = ""
        @OptionGroup var claims: ClaimsOptions
        @Flag(help: "Mail a link that verifies the email.") var sendVerification = false
        @OptionGroup var admin: Options

        func run() async throws {
            let request = GatewayV1.CreateAccountRequest(
                call: .init(actor: admin.actor), email: email, emailVerified: verified,
                phoneNumber: phone, password: try password.read(), displayName: name,
                mailLanguage: language, roles: claims.role, claimsJson: claims.claims,
                sendVerification: sendVerification)
            try await admin.manage { identity in
                let created = try await ManagedAccountsClient(identity.client)
                    .createAccount(request, identity.keyed)
                let removed = created.removedMethods
                let note =
                    removed.isEmpty ? "" : "; removed: \(removed.joined(separator: ", "))"
                Screen.line("\(created.account?.accountId ?? ""): created\(note)")
            }
        }
    }

    /// `postern accounts change ada@example.org --email ada@example.com --verified`.
    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the email, number, password or name of an account.",
            discussion: """
                A new email or password ends all sessions of the account, and its owner gets a \
                notice. A second factor stays: `postern accounts reset-second-factors`.
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Option(help: "The new email.") var email: String?
        @Flag(help: "The email is the person's: you have checked it.") var verified = false
        @Option(help: "The new phone number, with its +. You have checked it.") var phone: String?
        @Flag(help: "Remove the phone number, unless it is the last way to sign in.")
        var removePhone = false
        @OptionGroup var password: PasswordOption
        @Option(help: "The new display name; '' removes it.") var name: String?
        @OptionGroup var admin: Options

        func validate() throws {
            guard phone == nil || !removePhone else {
                throw ValidationError("--remove-phone is not for a new --phone")
            }
            guard !verified || email != nil else {
                throw ValidationError("--verified is for --email")
            }
        }

        func run() async throws {
            var request = GatewayV1.ChangeAccountRequest(
                emailVerified: verified, password: try password.read())
            request.address = email.map { .email($0) }
            request.number = (removePhone ? "" : phone).map { .phoneNumber($0) }
            request.name = name.map { .displayName($0) }
            try await admin.manage(account) { [request] call, identity in
                var request = request
                request.call = call
                _ = try await ManagedAccountsClient(identity.client)
                    .changeAccount(request, identity.keyed)
                Screen.line("\(call.accountId): changed")
            }
        }
    }

    /// `postern accounts claims ada@example.org --role editor`.
    struct Claims: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the roles and claims of an account, or replaces them.",
            discussion: """
                Without --role, --claims and --clear it shows them. With one of them it replaces all \
                of both: what is not named is gone. They are in access tokens from the next sign-in \
                or refresh on. With --at-once all sessions of the account end too, so that a role \
                that was taken away counts no more within a second.

                Example: postern accounts claims ada@example.org --role editor --claims '{"plan":"a"}'
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @OptionGroup var claims: ClaimsOptions
        @Flag(help: "Remove all roles and claims.") var clear = false
        @Flag(help: "End all sessions of the account.") var atOnce = false
        @Option(help: "Only if this is their version still.") var baseVersion: Int64?
        @OptionGroup var admin: Options
        @OptionGroup var output: OutputOption

        func validate() throws {
            guard !clear || claims.isEmpty else {
                throw ValidationError("--clear is not for new roles or claims")
            }
            guard replaces || !atOnce && baseVersion == nil else {
                throw ValidationError("--at-once and --base-version are for new roles or claims")
            }
        }

        private var replaces: Bool { clear || !claims.isEmpty }

        func run() async throws {
            try await admin.manage(account) { call, identity in
                let accounts = BackendAccountsClient(identity.client)
                guard replaces else {
                    let found = try await accounts.getAccountClaims(
                        .init(call: call), identity.context)
                    return try output.show(found.row.json, text: found.row.record)
                }
                var request = GatewayV1.SetAccountClaimsRequest(
                    call: call, roles: claims.role, claimsJson: claims.claims,
                    effect: atOnce ? .atOnce : .nextRefresh)
                request.base = baseVersion.map { .baseVersion($0) }
                let set = try await accounts.setAccountClaims(request, identity.keyed)
                Screen.line("\(call.accountId): version \(set.version)")
            }
        }
    }

    /// `postern accounts link ada@example.org reset-password`.
    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a link to an account, for you to hand over. Nothing is mailed.",
            discussion: """
                It works like the link of a mail, for as long, and voids the one before. Keep it \
                secret: it is as good as the owner's mailbox.
                """)

        @Argument(help: "The account: its id, email, or phone number with its +.")
        var account: String
        @Argument(help: "What it is for: verify-email, reset-password or change-email.")
        var purpose: GatewayV1.LinkPurpose
        @Option(help: "With change-email: the new email.") var newEmail = ""
        @OptionGroup var admin: Options
        @OptionGroup var output: OutputOption

        func validate() throws {
            guard (purpose == .changeEmail) == !newEmail.isEmpty else {
                throw ValidationError("--new-email is for change-email, which needs it")
            }
        }

        func run() async throws {
            try await admin.manage(account) { call, identity in
                let link = try await BackendAccountsClient(identity.client).issueLink(
                    .init(call: call, purpose: purpose, newEmail: newEmail),
                    identity.keyed)
                let row = Row([
                    .init("url", link.url),
                    .init(
                        "expires_at", .moment(link.expiresAtMs),
                        text: Timestamp(milliseconds: link.expiresAtMs).text),
                ])
                try output.show(row.json, text: row.record)
            }
        }
    }

    /// A password that an operator sets.
    struct PasswordOption: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "A file with the password in its first line; - for standard input.",
                valueName: "file"))
        var passwordFile: String?

        /// The password; empty without the option.
        func read() throws -> SecretBytes {
            guard let passwordFile else { return .empty }
            var bytes = try TextFile.read(passwordFile)
            defer { wipe(&bytes) }
            return SecretBytes(copying: bytes.prefix { $0 != UInt8(ascii: "\n") })
        }
    }

    /// Roles and claims that an operator sets.
    struct ClaimsOptions: ParsableArguments {
        @Option(help: "A role; may be repeated.") var role: [String] = []
        @Option(help: "Further claims, a JSON object.") var claims = ""

        var isEmpty: Bool { role.isEmpty && claims.isEmpty }
    }
}

extension AccountsCommand.Options {
    /// What to do about a rejected field, beside `hints`.
    private static let manageHints = hints.merging([
        "call.account_id": "no account has this id; `postern accounts list` shows ids",
        "call.actor": "an actor has letters, digits, spaces and -_.:@/ only, 64 bytes at most",
        "new_email": "this is not a new email that is free",
        "roles": "32 roles at most, each once, of a-z, 0-9 and - _ . :",
        "claims_json":
            "a JSON object of 1,000 bytes at most with the roles, without names that tokens have",
        "base_version": "they were replaced since: `postern accounts claims` shows them",
        "password": "a password needs an email",
    ]) { _, own in own }

    /// Calls identity as a backend's requests do; prints its errors.
    fileprivate func manage(
        notFound: String? = nil, _ body: (Caller) async throws -> Void
    ) async throws {
        try await services.call("identity", hints: Self.manageHints, notFound: notFound, body)
    }

    /// The same about an account.
    /// - Parameter account: its id, email or phone number.
    fileprivate func manage(
        _ account: String, _ body: (GatewayV1.BackendCall, Caller) async throws -> Void
    ) async throws {
        try await manage(notFound: AccountsCommand.notFound(account)) { identity in
            let id = try await identity.accountID(of: account, actor: actor)
            try await body(GatewayV1.BackendCall(accountId: id, actor: actor), identity)
        }
    }
}

extension GatewayV1.LinkPurpose: NamedValue {
    static var words: KeyValuePairs<Self, String> {
        [
            .verifyEmail: "verify-email", .resetPassword: "reset-password",
            .changeEmail: "change-email",
        ]
    }
}

extension GatewayV1.GetAccountClaimsResponse {
    /// The roles and claims, and their version.
    var row: Row {
        Row([
            .init(
                "roles", .array(roles.map { .string($0) }), text: roles.joined(separator: ", ")),
            .init("claims", claimsJson), .init("version", .integer(version), text: "\(version)"),
        ])
    }
}
