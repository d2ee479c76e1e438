package import Contracts
import Cryptography
package import Logging
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// Handler of `Sessions`: sessions, refresh token families and signing keys (S-01 … S-07). Each rpc
/// is implemented in a file of its own; this is their list.
package struct SessionService: SessionsService {
    /// The store's name.
    package static let storeName = "session"
    /// The store's schema.
    package static let migrations = SessionTables.migrations

    let parts: SessionParts
    let work: SessionWork
    let validation: Validation

    /// Streams revocations to followers.
    package var ends: RevocationFeed { RevocationFeed(log: work.ends.log) }
    /// Signing key operations for the operator.
    package var signingKeys: SigningKeyOperations {
        SigningKeyOperations(store: parts.store, rotation: work.signingKeys)
    }
    /// Refresh token key operations for the operator.
    package var refreshKeys: RefreshKeyOperations {
        RefreshKeyOperations(store: parts.store, keys: parts.refreshTokens)
    }

    /// A service on `store`. It loads the signing key, which the first start generates, and recent
    /// revocations.
    /// - Throws: `SigningKeyError`, `RefreshTokenKeyError` when `keys` are not those that the store
    ///   was created with, or what the store throws.
    /// - Parameter notices: identity's API that notifies owners of what happened to their sessions.
    package init(
        settings: SessionSettings, store: Store, keys: SessionKeys,
        notices: any AccountNoticesAPI, time: any Time, randomness: any Randomness,
        logger: Logger
    ) async throws {
        let epoch = try await RestoredStore.epoch(
            of: store, randomness: randomness, logger: logger)
        let ring = try await SigningKeyRing.load(
            from: store, box: keys.signingKeys, randomness: randomness, logger: logger)
        let refreshTokens = try await RefreshTokenKeys.load(
            from: store, box: keys.tokenKeys,
            schedule: RefreshTokenKeys.Schedule(
                renewal: settings.refreshKeyLife, acceptance: settings.longestAge),
            randomness: randomness, logger: logger)
        let inForce = KeysInForce(ring, issuer: settings.issuer, audience: settings.audience)
        let life = AccessTokenLife(mean: settings.accessTokenLife)
        let retention = life.longest + TokenVerifier.leeway
        let since = time.now() - retention
        let wakeSignal = WakeSignal()
        let ended = RevokedSessions(
            try await store.read { try $0.sessionsEnded(after: since) }, retention: retention,
            wakeSignal: wakeSignal)
        parts = SessionParts(
            store: store, keys: keys,
            life: SessionLife(
                idleMax: settings.idleMax, ageMax: settings.ageMax,
                byMethod: settings.limitsByMethod),
            sessionsMax: settings.sessionsMax, activity: Activity(), clock: store.clock,
            accessTokens: AccessTokens(
                life: life, keys: inForce, issuer: settings.issuer, audience: settings.audience,
                extra: settings.extraClaims),
            refreshTokens: refreshTokens,
            refreshPolicy: RefreshPolicy(
                grace: settings.refreshGrace, binding: settings.deviceBinding),
            confirmations: Confirmations(grace: settings.refreshGrace),
            ended: ended, rejectedTokens: RejectedTokenCounter(), time: time, randomness: randomness
        )
        validation = Validation(parts: parts)
        work = SessionWork(
            parts: parts, settings: settings, signingKeys: inForce, wakeSignal: wakeSignal,
            endsKeptFor: retention, epoch: epoch, notices: notices, logger: logger)
        try await work.prepare()
    }

    /// Rotates the refresh token key on the operator's request. Existing tokens stay valid.
    /// - Throws: `rpc/resource-exhausted` when all 255 key ids are in use, `RefreshTokenKeyError`,
    ///   or what the store throws.
    package func renewRefreshKey() async throws {
        try await parts.refreshTokens.renew(in: parts.store, isWanted: true)
    }

    /// Runs the background tasks until cancelled: delivers notices, streams revocations, rotates
    /// keys, writes activity and deletes old sessions.
    /// - Throws: `CancellationError`.
    package func run() async throws { try await work.run() }

    /// Writes data that is only in memory: the last step before the store closes.
    package func writeRemaining() async { await work.writeRemaining() }

    // MARK: SessionsService

    /// Opens a session for a sign-in proof (`SessionOpening`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as
    ///   `SessionOpening.run`.
    package func create(
        _ request: SessionV1.CreateRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateResponse {
        try parts.clock.requireAnswering()
        return try await SessionOpening(parts: parts).run(request, context)
    }

    /// Exchanges a refresh token (`Refresh`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise as `Refresh.run`.
    package func refresh(
        _ request: SessionV1.RefreshRequest, _ context: CallContext
    ) async throws -> SessionV1.RefreshResponse {
        try parts.clock.requireAnswering()
        return try await Refresh(parts: parts).run(request, context)
    }

    /// Validates an access token (`Validation`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted.
    package func validate(
        _ request: SessionV1.ValidateRequest, _ context: CallContext
    ) throws -> SessionV1.ValidateResponse {
        try validation.run(request)
    }

    /// Returns the state of an access token's session (`Inspection`).
    /// - Throws: `rpc/unavailable` while the clock is not trusted; otherwise what the store throws.
    package func inspect(
        _ request: SessionV1.InspectRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectResponse {
        try parts.clock.requireAnswering()
        return try await Inspection(parts: parts).run(request)
    }

    /// Signs out (`SignOut`).
    /// - Throws: as `SignOut.run`.
    package func signOut(
        _ request: SessionV1.SignOutRequest, _ context: CallContext
    ) async throws -> SessionV1.SignOutResponse {
        try await SignOut(parts: parts).run(request, context)
    }

    /// Ends an account's sessions (`AccountEnding`).
    /// - Throws: as `AccountEnding.run`.
    package func endAccount(
        _ request: SessionV1.EndAccountRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountResponse {
        try await AccountEnding(parts: parts).run(request, context)
    }

    /// Returns the JWKS of access tokens (`KeysInForce`).
    package func keySet(
        _ request: SessionV1.KeySetRequest, _ context: CallContext
    ) -> SessionV1.KeySetResponse {
        SessionV1.KeySetResponse(jwks: parts.accessTokens.keys.current.keySetText)
    }
}
