import Contracts
import Cryptography
package import Logging
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// Sessions, refresh families and signing keys (S-01 … S-07). Each method is one flow in a file of
/// its own; this is their list.
package struct SessionService: SessionsService {
    /// The store's name.
    package static let storeName = "session"
    /// The store's schema.
    package static let migrations = SessionTables.migrations

    private let parts: SessionParts
    private let relay: EndsRelay
    private let rotation: SigningKeyRotation

    /// Tells followers of ends.
    package var ends: EndsFeed { EndsFeed(log: relay.log) }
    /// What the operator can do about signing keys.
    package var signingKeys: SigningKeyOperations {
        SigningKeyOperations(store: parts.store, rotation: rotation)
    }

    /// A service on `store`, once its signing key is there (the first start makes one) and the
    /// latest ends are known.
    /// - Throws: `SigningKeyError` when `keys` are not those the store was made with, or what the
    ///   store throws.
    package init(
        settings: SessionSettings, store: Store, keys: SessionKeys, time: any Time,
        randomness: any Randomness, logger: Logger
    ) async throws {
        let ring = try await SigningKeyRing.load(
            from: store, box: keys.signingKeys, randomness: randomness, logger: logger)
        let inForce = KeysInForce(ring, issuer: settings.issuer, audience: settings.audience)
        let life = AccessTokenLife(mean: settings.accessTokenLife)
        let retention = life.longest + TokenVerifier.leeway
        let since = time.now() - retention
        let bell = EndsBell()
        let ended = EndedSessions(
            try await store.read { try $0.sessionsEnded(after: since) }, retention: retention,
            bell: bell)
        parts = SessionParts(
            store: store, keys: keys,
            life: SessionLife(idleMax: settings.idleMax, ageMax: settings.ageMax),
            accessTokens: AccessTokens(
                life: life, keys: inForce, issuer: settings.issuer, audience: settings.audience,
                extra: settings.extraClaims),
            ended: ended, time: time, randomness: randomness)
        relay = EndsRelay(
            store: store, log: EndsLog(), ended: ended, keys: inForce, bell: bell,
            heartbeat: settings.endsHeartbeat, keptFor: retention, time: time, logger: logger)
        rotation = SigningKeyRotation(
            store: store, keys: inForce,
            schedule: SigningKeySchedule(life: settings.signingKeyLife, verifiesFor: retention),
            maker: SigningKeyMaker(box: keys.signingKeys, randomness: randomness), time: time,
            logger: logger, bell: bell)
        try await rotation.takeDue()
        try await relay.fill()
    }

    /// Tells followers of ends as they come, until cancelled.
    package func relayEnds() async throws { try await relay.run() }

    /// Follows the schedule of signing keys, until cancelled.
    package func rotateSigningKeys() async throws { try await rotation.run() }

    // MARK: SessionsService

    /// `SessionOpening`.
    package func create(
        _ request: SessionV1.CreateRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateResponse {
        try await SessionOpening(parts: parts).run(request, context)
    }

    /// `Refresh`.
    package func refresh(
        _ request: SessionV1.RefreshRequest, _ context: CallContext
    ) async throws -> SessionV1.RefreshResponse {
        try await Refresh(parts: parts).run(request, context)
    }

    /// `Validation`.
    package func validate(
        _ request: SessionV1.ValidateRequest, _ context: CallContext
    ) -> SessionV1.ValidateResponse {
        Validation(parts: parts).run(request)
    }

    /// `Inspection`.
    package func inspect(
        _ request: SessionV1.InspectRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectResponse {
        try await Inspection(parts: parts).run(request)
    }

    /// `SignOut`.
    package func signOut(
        _ request: SessionV1.SignOutRequest, _ context: CallContext
    ) async throws -> SessionV1.SignOutResponse {
        try await SignOut(parts: parts).run(request, context)
    }

    /// `AccountEnding`.
    package func endAccount(
        _ request: SessionV1.EndAccountRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountResponse {
        try await AccountEnding(parts: parts).run(request, context)
    }

    /// `KeysInForce`.
    package func keySet(
        _ request: SessionV1.KeySetRequest, _ context: CallContext
    ) -> SessionV1.KeySetResponse {
        SessionV1.KeySetResponse(jwks: parts.accessTokens.keys.current.keySetText)
    }
}
