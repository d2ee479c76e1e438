import Cryptography
import Messages
import RPC
import ServiceRuntime

/// A backend that identity has recognised by its application token, and what it acts on. Or the
/// operator's tool, where its connection takes the place of a token (`BackendRule.admitsOperators`).
package struct Backend: IdempotentCall {
    /// Nil for a request that names none: it creates one.
    let account: AccountID?
    /// Its name.
    package let application: String
    /// Its own idempotency key, as its token names it. The gateway's word is not used: it could
    /// repeat a call under another key, and the effect with it.
    package let idempotencyKey: String?
    /// For the audit trail: `billing`, or `billing/ann` if it names the person.
    package let actor: String
}

/// Checks the application tokens of backends that act on accounts (I-07).
///
///     caller of identity              recognised by
///     the gateway                     the token in the request
///     the tool, for BackendAccounts   its connection
///     any other                       nothing: rpc/permission-denied
///
/// Attack: somebody has taken the gateway over, and writes documents of any account, pushes messages
/// to any person, or makes a link that opens any account. So identity verifies the backend's signature itself: the token names the
/// rpc, and the hash of the account, the actor and all of the request (`bh`). What passes through
/// the gateway can be repeated for two minutes: a read is answered again, any other call gets its
/// first answer.
package struct BackendCalls: Sendable {
    static let actorBytesMax = 64

    /// The rule of each method that backends call, by the method's full name.
    private let rules: [String: BackendRule]
    /// Of their tokens.
    private let audiences: [String]
    /// The keys of all that the rules permit.
    private let applications: Reloadable<Applications>
    private let time: any Time

    /// Checks of the tokens for these services.
    /// - Parameters:
    ///   - audiences: the origins of the web service.
    ///   - applications: the keys of all backends that the rules permit.
    init(
        rules: [BackendRule], audiences: [String], applications: Reloadable<Applications>,
        time: any Time
    ) {
        self.rules = Dictionary(
            rules.flatMap { rule in rule.service.methods.map { ($0.name, rule) } },
            uniquingKeysWith: { first, _ in first })
        self.audiences = audiences
        self.applications = applications
        self.time = time
    }

    /// As the settings permit.
    /// - Throws: as `BackendRule.pushes` and `accounts`.
    init(
        _ settings: IdentitySettings, applications: Reloadable<Applications>, time: any Time
    ) throws {
        self.init(
            rules: [
                .documents(writers: settings.documentWriters),
                try .pushes(senders: settings.pushSenders),
                try .accounts(managers: settings.accountManagers),
            ], audiences: settings.webOrigins, applications: applications, time: time)
    }

    /// Who made a request, as the table says.
    /// - Throws: `rpc/permission-denied` if the method's setting does not name it;
    ///   `rpc/unauthenticated` for an invalid token; `rpc/invalid-argument` with the field.
    func caller(
        of request: some BackendRequest, _ method: MethodDescription, _ context: CallContext
    ) throws(ServiceError) -> Backend {
        guard let rule = rules[method.name] else {
            throw ServiceError(.permissionDenied, detail: "no rule permits \(method.name)")
        }
        let isOperators =
            rule.admitsOperators && CallContext.operators.contains(context.application)
        if !isOperators { try context.requireGateway() }
        guard let call = request.call else {
            throw ServiceError(.invalidArgument, fields: ["call"])
        }
        if isOperators {
            return try Self.backend(context.application, context.idempotencyKey, call)
        }
        let claims = try claims(of: call.applicationToken, method, rule)
        let bodyHash = try rule.bodyHash(of: request, call)
        guard claims.bodyHash == bodyHash else { throw Self.unauthenticated(.body) }
        // As at the gateway: a repeat must be recognised.
        guard method.isIdempotent || claims.idempotencyKey?.isEmpty == false else {
            throw ServiceError.invalidArgument(
                Metadata.Key.idempotencyKey, "This call needs one, also in the token.")
        }
        return try Self.backend(claims.application, claims.idempotencyKey, call)
    }

    private static func backend(
        _ name: String, _ idempotencyKey: String?, _ call: GatewayV1.BackendCall
    ) throws(ServiceError) -> Backend {
        guard call.actor.utf8.count <= actorBytesMax, call.actor.allSatisfy(isPlain) else {
            throw ServiceError(.invalidArgument, fields: ["call.actor"])
        }
        let account = AccountID(text: call.accountId)
        guard account != nil || call.accountId.isEmpty else {
            throw ServiceError(.invalidArgument, fields: ["call.account_id"])
        }
        return Backend(
            account: account, application: name, idempotencyKey: idempotencyKey,
            actor: call.actor.isEmpty ? name : "\(name)/\(call.actor)")
    }

    /// Whether a character can be part of an actor's name.
    package static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_.:@/ ".contains(character)
    }

    private func claims(
        of secret: SecretBytes, _ method: MethodDescription, _ rule: BackendRule
    ) throws(ServiceError) -> ApplicationToken.Claims {
        let token = secret.withBytes { String(decoding: $0, as: UTF8.self) }
        let claims: ApplicationToken.Claims?
        do throws(ApplicationToken.Refusal) {
            claims =
                try isPermitted(token, rule)
                ? applications.value.verified(
                    token: token, method: method.name, audiences: Set(audiences),
                    now: time.now()) : nil
        } catch {
            throw Self.unauthenticated(error)
        }
        // What a token says of its application is not verified yet, so it is not repeated.
        guard let claims else {
            throw .notNamed("the token's application", by: rule.setting, of: "identity")
        }
        return claims
    }

    /// Whether a token names a key of an application that the rule's setting names.
    private func isPermitted(
        _ token: String, _ rule: BackendRule
    ) throws(ApplicationToken.Refusal) -> Bool {
        let key = try ApplicationToken(token).keyIdentifier
        return rule.permitted.contains(String(key.prefix { $0 != "." }))
    }

    private static func unauthenticated(_ reason: ApplicationToken.Refusal) -> ServiceError {
        var error = ServiceError(.unauthenticated)
        error.violations = [
            .init(field: "call.application_token", rule: reason.rawValue)
        ]
        return error
    }
}
