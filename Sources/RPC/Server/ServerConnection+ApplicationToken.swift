import Cryptography
import Messages
import ServiceRuntime

/// Calls with application tokens, which the web service carries for backends. The web service
/// itself cannot make a token, so an attacker who takes it over cannot call as a backend, except to
/// send another body with a token that passes through it while the token is valid.
///
/// A forged token costs one verification of an Ed25519 signature, as a forged Hello or access token
/// does; the web service's limits by address bound how many a stranger can send.
extension ServerConnection {
    /// The call's application token; nil without one.
    /// - Throws: `rpc/unauthenticated` for several: two programs could each read another one.
    static func applicationToken(
        _ metadata: Metadata
    ) throws(ServiceError) -> String? {
        let entries = metadata.entries.filter { $0.key == Metadata.Key.applicationToken }
        guard let first = entries.first else { return nil }
        guard entries.count == 1, let token = String(validating: first.value, as: UTF8.self) else {
            throw unauthenticated(.malformed)
        }
        return token
    }

    private static func unauthenticated(_ reason: ApplicationToken.Refusal) -> ServiceError {
        var error = ServiceError(.unauthenticated, notProcessed: true)
        error.violations = [
            .init(field: Metadata.Key.applicationToken, rule: reason.rawValue)
        ]
        return error
    }

    /// The caller of a call with `token`, which has `time` left: the application that signed it, with
    /// its own permissions and not those of the web service.
    /// - Throws: `rpc/unauthenticated` for an invalid token, `rpc/permission-denied`,
    ///   `rpc/invalid-argument` with `idempotency-key`.
    func tokenCaller(
        _ token: String, _ metadata: Metadata, _ entry: MethodTable.Entry, _ time: Duration,
        carriedBy carrier: Application
    ) throws(ServiceError) -> CallIdentity {
        let method = entry.handler.method
        let idempotencyKey = metadata.entries.first { $0.key == Metadata.Key.idempotencyKey }?.value
        let verified: (caller: Caller, claims: ApplicationToken.Claims)
        do throws(ApplicationToken.Refusal) {
            verified = try shared.callers.applications.verified(
                token: token, method: method.name, idempotencyKey: idempotencyKey,
                audiences: shared.settings.tokenAudiences, now: shared.time.now())
        } catch {
            throw Self.unauthenticated(error)
        }
        let application = verified.caller.application
        guard shared.callers.permissions(of: application.name).allows(entry.index) else {
            throw notPermitted(application.name, method)
        }
        // Tokens are not stored, so one can be repeated while it is valid. It names the idempotency
        // key, so that the repeat gets the first answer and changes nothing more.
        guard method.isIdempotent || idempotencyKey?.isEmpty == false else {
            var error = ServiceError.invalidArgument(
                Metadata.Key.idempotencyKey, "This method needs one, also in the token.")
            error.notProcessed = true
            throw error
        }
        var metadata = metadata
        metadata[Metadata.Key.applicationToken] = nil
        // The backend's word where it has that right. Otherwise the address is the one that the web
        // service determined, so that no backend chooses the subject of its rate limits.
        var mayAssertClientAddress = carrier.mayAssertClientAddress
        if application.mayAssertClientAddress, let address = verified.claims.clientAddress {
            metadata[Metadata.Key.clientAddress] = address
            // The carrier knows the backend's own user agent only.
            metadata[Metadata.Key.clientAgent] = verified.claims.clientAgent
            mayAssertClientAddress = true
        }
        return CallIdentity(
            context: context(
                of: application.name, metadata, time,
                mayAssertClientAddress: mayAssertClientAddress),
            byToken: verified.caller)
    }

    /// Ends the streams whose application, or the key that signed their token, was removed. Unary
    /// calls may finish, as those of a removed key do on its own connection.
    func endTokenStreams() {
        let applications = shared.callers.applications
        let channel = peer.channel
        let ended = machine.end { running in
            guard let caller = running.stream?.tokenCaller else { return false }
            if case .permitted = applications.standing(of: caller, over: channel) { return false }
            return true
        }
        for (call, running) in ended { stop(call, running, ServiceError(.unauthenticated)) }
    }
}
