package import Contracts
import Cryptography
package import Logging
package import RPC
package import ServiceRuntime
package import Storage

/// The session service over one store: its handlers, and the work beside them.
package struct SessionService: Sendable {
    /// `postern.session.v1.Sessions`, and what session implements of `postern.gateway.v1.Auth` and
    /// `Verification`.
    package let sessions: SessionsHandler
    /// `postern.session.v1.Devices`, and what session implements of
    /// `postern.gateway.v1.AccountSessions`.
    let devices: DevicesHandler
    /// `postern.session.v1.AccountActivity`.
    let accountActivity: AccountActivityHandler
    /// `postern.accountdata.v1.AccountData`.
    let accountData: AccountDataHandler
    /// `postern.session.v1.SessionEnds`.
    let ends: SessionEndsHandler
    /// `postern.session.v1.SigningKeys`.
    let signingKeys: SigningKeysHandler
    /// `postern.session.v1.RefreshKeys`.
    let refreshKeys: RefreshKeysHandler
    /// The work beside the handlers.
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
        let epoch = try await SessionRestore.epoch(of: store, randomness: randomness)
        let ring = try await SigningKeyRing.load(
            from: store, box: keys.signingKeys, randomness: randomness, logger: logger)
        let refreshTokens = try await RefreshTokenKeys.load(
            from: store, box: keys.tokenKeys,
            schedule: RefreshTokenKeys.Schedule(
                renewal: settings.refreshKeyLife, acceptance: settings.longestAge),
            randomness: randomness, logger: logger)
        let accessTokens = AccessTokens(settings, ring, logger: logger)
        let wakeSignal = WakeSignal()
        let memory = SessionMemory(
            settings,
            revoked: RevokedSessions(retention: accessTokens.retention, wakeSignal: wakeSignal))
        let proofs = SignInProofReader(seal: keys.proofs, time: time, logger: logger)
        sessions = SessionsHandler(
            store: store, keys: keys, proofs: proofs, settings: settings, memory: memory,
            accessTokens: accessTokens, refreshTokens: refreshTokens, time: time,
            randomness: randomness)
        devices = DevicesHandler(
            store: store, keys: keys, proofs: proofs, life: sessions.life, memory: memory,
            accessTokens: accessTokens, validation: sessions.validation, time: time,
            randomness: randomness, logger: logger)
        accountActivity = AccountActivityHandler(
            store: store, life: sessions.life, activity: memory.activity, time: time)
        let log = LogTruncation(of: store)
        accountData = AccountDataHandler(
            store: store, keys: keys, life: sessions.life, memory: memory, log: log, time: time)
        refreshKeys = RefreshKeysHandler(store: store, keys: refreshTokens)
        background = SessionBackgroundTasks(
            beside: sessions, notices: notices, log: log, epoch: epoch, wakeSignal: wakeSignal,
            logger: logger)
        ends = SessionEndsHandler(log: background.revocations.log, time: time)
        signingKeys = SigningKeysHandler(store: store, rotation: background.signingKeys)
        try await background.signingKeys.takeDue()
        // Also the ended sessions in memory, before the first call.
        try await background.revocations.fill()
    }

    /// The rpcs of all handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            sessions.methods,
            SessionAuthDispatcher.methods(of: sessions),
            SessionVerificationDispatcher.methods(of: sessions),
            DevicesDispatcher.methods(of: devices),
            SessionAccountSessionsDispatcher.methods(of: devices),
            AccountActivityDispatcher.methods(of: accountActivity),
            AccountDataDispatcher.methods(of: accountData),
            RefreshKeysDispatcher.methods(of: refreshKeys),
            SessionEndsDispatcher.methods(of: ends),
            SigningKeysDispatcher.methods(of: signingKeys),
        ]
    }

    /// The work beside the handlers. Each task runs until cancelled.
    package var tasks: [@Sendable () async throws -> Void] { [background.run] }

    /// Writes data that is only in memory. Call it after the tasks have ended and before the store
    /// closes.
    package func close() async { await background.writeRemaining() }
}
