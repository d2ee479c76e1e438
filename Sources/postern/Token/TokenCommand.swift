import Addresses
import ArgumentParser
import Contracts
import Cryptography
import Glibc
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

                The key is the one of the application in the endpoints file, or --key. Keep the \
                token secret while it is valid: it is all that this call needs.
                """)

        @Option(help: "Origin of the web service, as the gateway's setting web-origins has it.")
        var audience = "http://localhost:7480"

        @Option(help: "For example postern.gateway.v1.Auth/SignInWithPassword.")
        var method: String

        @Option(help: "The file with the request's body, or - for standard input.")
        var body: String?

        @Option(help: "The value of the call's header idempotency-key.")
        var idempotencyKey: String?

        @Option(help: "IP address of the person for whom the backend calls.")
        var clientAddress: String?

        @Option(help: "User agent of that person; it counts together with --client-address.")
        var clientAgent: String?

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
                bodyHash: try body.map { ApplicationToken.bodyHash(of: try TextFile.read($0)) },
                idempotencyKey: idempotencyKey, clientAddress: clientAddress,
                clientAgent: clientAgent)
            return try ApplicationToken.sign(
                claims, key: signingKey, keyIdentifier: "\(key.application).\(key.keyID)")
        }
    }
}
