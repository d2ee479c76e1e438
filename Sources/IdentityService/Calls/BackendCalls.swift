import Cryptography
import Messages
import RPC
import ServiceRuntime

/// A backend that identity has recognised by its application token, and what it acts on.
package struct Backend: IdempotentCall {
    let account: AccountID
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
/// Attack: somebody has taken the gateway over, and writes documents of any account. So identity
/// verifies the backend's signature itself: the token names the rpc, and the hash of the account,
/// the actor and all that is written (`bh`). What passes through the gateway can be repeated for
/// two minutes: a read is answered again, a write gets its first answer.
package struct BackendCalls: Sendable {
    static let actorBytesMax = 64

    /// The applications that may read and write documents of any account.
    let writers: [String]
    /// Of their tokens.
    let audiences: [String]
    /// The keys of `writers`.
    let applications: Reloadable<Applications>
    let time: any Time

    /// The backend that made this request.
    /// - Throws: `rpc/permission-denied` if it is not named in `document-writers`;
    ///   `rpc/unauthenticated` for an invalid token; `rpc/invalid-argument` with the field.
    func verified(
        _ request: some BackendRequest, _ method: MethodDescription
    ) throws(ServiceError) -> Backend {
        guard let caller = request.call else {
            throw ServiceError(.invalidArgument, fields: ["call"])
        }
        let claims = try claims(of: caller.applicationToken, method)
        let head = ["postern documents v1", caller.accountId, caller.actor].map { Array($0.utf8) }
        let parts = head + request.signedParts
        guard claims.bodyHash == ApplicationToken.bodyHash(of: DelimitedParts.joined(parts))
        else { throw Self.unauthenticated(.body) }
        // As at the gateway: a repeat must be recognised.
        guard method.isIdempotent || claims.idempotencyKey?.isEmpty == false else {
            throw ServiceError.invalidArgument(
                Metadata.Key.idempotencyKey, "This call needs one, also in the token.")
        }
        guard caller.actor.utf8.count <= Self.actorBytesMax,
            caller.actor.allSatisfy(Self.isPlain)
        else { throw ServiceError(.invalidArgument, fields: ["call.actor"]) }
        guard let account = AccountID(text: caller.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["call.account_id"])
        }
        let name = claims.application
        return Backend(
            account: account, application: name, idempotencyKey: claims.idempotencyKey,
            actor: caller.actor.isEmpty ? name : "\(name)/\(caller.actor)")
    }

    /// Whether a character can be part of an actor's name.
    package static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_.:@/ ".contains(character)
    }

    private func claims(
        of token: String, _ method: MethodDescription
    ) throws(ServiceError) -> ApplicationToken.Claims {
        let claims: ApplicationToken.Claims?
        do throws(ApplicationToken.Refusal) {
            claims =
                try isOfWriter(token)
                ? applications.value.verified(
                    token: token, method: method.name, audiences: Set(audiences),
                    now: time.now()) : nil
        } catch {
            throw Self.unauthenticated(error)
        }
        guard let claims else { throw ServiceError(.permissionDenied) }
        return claims
    }

    /// Whether a token names a key of an application in `document-writers`.
    private func isOfWriter(_ token: String) throws(ApplicationToken.Refusal) -> Bool {
        let key = try ApplicationToken(token).keyIdentifier
        return writers.contains(String(key.prefix { $0 != "." }))
    }

    private static func unauthenticated(_ reason: ApplicationToken.Refusal) -> ServiceError {
        var error = ServiceError(.unauthenticated)
        error.violations = [
            .init(field: "call.application_token", rule: reason.rawValue)
        ]
        return error
    }
}
