package import Contracts
import Cryptography
package import Logging
package import ServiceRuntime
package import Storage

/// The handlers of `postern-session` and its background tasks, over one store.
package struct SessionHandlers: Sendable {
    /// `postern.session.v1.Sessions`.
    package let sessions: SessionsHandler
    /// `postern.session.v1.Devices`.
    package let devices: DevicesHandler
    /// `postern.session.v1.AccountActivity`.
    package let accountActivity: AccountActivityHandler
    /// `postern.session.v1.SessionEnds`.
    package let ends: SessionEndsHandler
    /// `postern.session.v1.SigningKeys`.
    package let signingKeys: SigningKeysHandler
    /// `postern.session.v1.RefreshKeys`.
    package let refreshKeys: RefreshKeysHandler
    /// Runs beside the handlers.
    package let background: SessionBackgroundTasks

    /// Loads keys and recent revocations from `store`. The first start generates the keys; keys
    /// that are due are rotated.
    /// - Throws: `SessionKeyError` when `keys` are not those that the store
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
        let accessTokens = AccessTokens(settings, ring)
        let retention = accessTokens.life.longest + TokenVerifier.leeway
        let since = time.now() - retention
        let wakeSignal = WakeSignal()
        let memory = SessionMemory(
            settings,
            revoked: RevokedSessions(
                try await store.read { try $0.sessionsEnded(after: since) }, retention: retention,
                wakeSignal: wakeSignal))
        sessions = SessionsHandler(
            store: store, keys: keys, settings: settings, memory: memory,
            accessTokens: accessTokens, refreshTokens: refreshTokens, time: time,
            randomness: randomness)
        devices = DevicesHandler(
            store: store, keys: keys, life: sessions.life, memory: memory,
            accessTokens: accessTokens, time: time, randomness: randomness)
        accountActivity = AccountActivityHandler(
            store: store, life: sessions.life, activity: memory.activity, time: time)
        refreshKeys = RefreshKeysHandler(store: store, keys: refreshTokens)
        let revocations = RevocationRelay(
            store: store, log: RevocationLog(), revoked: memory.revoked, keys: accessTokens.keys,
            wakeSignal: wakeSignal, heartbeat: settings.endsHeartbeat, keptFor: retention,
            epoch: epoch, time: time, logger: logger)
        ends = SessionEndsHandler(log: revocations.log)
        let rotation = SigningKeyRotation(
            store: store, keys: accessTokens.keys,
            schedule: SigningKeySchedule(life: settings.signingKeyLife, verifiesFor: retention),
            generator: SigningKeyGenerator(box: keys.signingKeys, randomness: randomness),
            time: time, logger: logger, wakeSignal: wakeSignal)
        signingKeys = SigningKeysHandler(store: store, rotation: rotation)
        let delivery = NoticeDelivery(
            notices: notices, store: store, deviceNames: keys.deviceNames, time: time,
            logger: logger)
        background = SessionBackgroundTasks(
            outbox: OutboxRelay(
                store: store, time: time, randomness: randomness,
                deliver: { try await delivery.deliver($0) }),
            revocations: revocations, signingKeys: rotation,
            maintenance: SessionMaintenance(
                store: store, settings: settings, memory: memory, keys: accessTokens.keys,
                refreshTokens: refreshTokens, time: time, logger: logger))
        try await rotation.takeDue()
        try await revocations.fill()
    }
}
