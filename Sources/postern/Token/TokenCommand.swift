import Addresses
import ArgumentParser
import Contracts
import Cryptography
import Glibc
import IdentityService
import Messages
import RPC
import ServiceRuntime

/// `postern token`: tokens for calls over HTTP.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes tokens for calls over HTTP.",
        subcommands: [App.self])

    /// `postern token app`.
    struct App: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a token by which one HTTP call counts as that of your application.",
            discussion: """
                A backend sends the token in the header x-postern-app. It is valid for one method, \
                one body, one idempotency key and one minute. Backends make their own in the same \
                way, as a JWT (EdDSA) with their private key: Protos/postern/gateway/backend.md.

                  METHOD=postern.gateway.v1.Verification/GetKeySet
                  TOKEN=$(printf '{}' | postern token app --method $METHOD --body -)
                  curl -d '{}' -H "x-postern-app: $TOKEN" -H 'content-type: application/json' \\
                      http://localhost:7480/$METHOD

                The body must be byte for byte the one that is sent. Without --body the token is \
                for a call with streams, whose body is not hashed. A call that is not idempotent \
                (see postern describe METHOD) needs the header idempotency-key, and its value in the \
                token: --idempotency-key.

                A request of BackendPush or BackendAccounts has a second token, in \
                call.applicationToken, which identity verifies. With --signed it is that one which \
                is printed, for the request in this file, with its call.accountId and call.actor, \
                and the same --idempotency-key:

                  METHOD=postern.gateway.v1.BackendAccounts/SetAccountClaims
                  postern token app --method $METHOD --signed request.json --idempotency-key 7

                --account and --actor say the same of a request in --body without its call.

                The key is the one of the application in the endpoints file, or --key. Keep the \
                token secret while it is valid: it is all that this call needs.
                """)

        @Option(help: "Origin of the web service, as the gateway's setting web-origins has it.")
        var audience = "http://localhost:7480"

        @Option(help: "For example postern.gateway.v1.Auth/SignInWithPassword.")
        var method: String

        @Option(help: "The file with the request's body, or - for standard input.")
        var body: String?

        @Option(
            help: ArgumentHelp(
                "Prints the token for call.applicationToken of the request in this file; - for "
                    + "standard input.", valueName: "request"))
        var signed: String?

        @Option(help: "The value of the call's header idempotency-key.")
        var idempotencyKey: String?

        @Option(help: "IP address of the person for whom the backend calls.")
        var clientAddress: String?

        @Option(help: "User agent of that person; it counts together with --client-address.")
        var clientAgent: String?

        @Option(help: "The request's account, acc_…: prints the token for call.applicationToken.")
        var account: String?

        @Option(help: "With --account: the request's call.actor.")
        var actor = ""

        @Option(help: "The application's private key, NAME.KEYID.key.")
        var key: String?

        @Option(help: "The file that `postern up` writes; default also by POSTERN_ENDPOINTS.")
        var endpoints = Endpoints.defaultPath

        func validate() throws {
            guard WebOrigin(site: audience) != nil else {
                throw ValidationError("--audience is \(WebOrigin.expected)")
            }
            guard method.split(separator: "/").count == 2, MethodPattern(method) != nil,
                !method.hasSuffix("/*")
            else {
                throw ValidationError("\(method) is not a method: `postern methods` lists them")
            }
            try MethodDirectory.compiled().require(method)
            guard clientAddress.map({ ClientAddress($0) != nil }) ?? true else {
                throw ValidationError("--client-address is one IPv4 or IPv6 address")
            }
            guard account != nil || signed != nil else { return }
            guard account == nil ? body == nil : body != nil && signed == nil else {
                throw ValidationError("--account is for --body, and --signed is for itself")
            }
            let methods = try Self.signedRequests.flatMap(\.service.methods)
            guard methods.contains(where: { $0.name == method }) else {
                throw ValidationError(
                    "--account and --signed are for requests of "
                        + methods.map(\.name).joined(separator: ", "))
            }
        }

        func run() throws {
            let key =
                try key.map { try ApplicationKey(file: $0) }
                ?? Endpoints(endpoints).applicationKey()
            Screen.line(try token(signedBy: key, at: SystemTime().now()))
        }

        /// The token.
        /// - Throws: `ToolError` for a key that cannot sign tokens.
        func token(signedBy key: ApplicationKey, at now: Timestamp) throws -> String {
            guard let signingKey = key.key as? Ed25519SigningKey else {
                throw ToolError(
                    "the key \(key.keyID) of \(key.application) is shared with servers and signs "
                        + "no tokens: `postern applications rotate \(key.application)` makes one "
                        + "that does")
            }
            guard !CallContext.operators.contains(key.application) else {
                throw ToolError("\(key.application) is for operators and never calls over HTTP")
            }
            let claims = ApplicationToken.Claims(
                application: key.application, audience: audience, issuedAt: now,
                expiresAt: now + ApplicationToken.lifetimeMax, method: method,
                bodyHash: try bodyHash(),
                idempotencyKey: idempotencyKey, clientAddress: clientAddress,
                clientAgent: clientAgent)
            return try ApplicationToken.sign(
                claims, key: signingKey, keyIdentifier: "\(key.application).\(key.keyID)")
        }

        /// The services whose requests have a token in them that their descriptors say.
        private static var signedRequests: [BackendRule] {
            get throws { [try .pushes(senders: []), try .accounts(managers: [])] }
        }

        /// The hash of the body, or of the request's signed parts; nil without a body.
        private func bodyHash() throws -> String? {
            if let signed { return try hash(ofRequest: TextFile.read(signed), on: nil) }
            guard let body = try body.map(TextFile.read) else { return nil }
            guard let account else { return ApplicationToken.bodyHash(of: body) }
            return try hash(ofRequest: body, on: (account, actor))
        }

        /// The hash of a request's signed parts.
        /// - Parameter named: its account and its actor; nil if the request names them itself.
        private func hash(
            ofRequest text: [UInt8], on named: (account: String, actor: String)?
        ) throws -> String {
            let rule = try Self.signedRequests.first { rule in
                rule.service.methods.contains { $0.name == method }
            }
            guard let rule, let input = MethodDirectory.compiled().methods[method]?.input else {
                throw ToolError("\(method) is unknown")
            }
            do {
                var request = try input.encodeJSON(text, ignoresUnknownFields: false)
                defer { wipe(&request) }
                let parts = try rule.parts(of: request, named: input.name)
                func own(_ name: String) throws -> String {
                    try input.textField(at: ["call", name])?.text(in: request) ?? ""
                }
                return try rule.bodyHash(
                    account: named?.account ?? own("account_id"),
                    actor: named?.actor ?? own("actor"), parts)
            } catch let error as MappingError {
                throw ToolError("the request: \(error)")
            }
        }
    }
}
