import Contracts
import Logging
import ServiceRuntime
import Storage

/// The background tasks of `postern-session`: delivers notices, streams revocations, maintains its
/// memory, and performs the duties of its store.
package struct SessionBackgroundTasks: Sendable {
    /// Delivers notices to identity.
    let outbox: OutboxRelay
    let revocations: RevocationRelay
    let signingKeys: SigningKeyRotation
    let maintenance: SessionMaintenance
    /// They rotate keys, sweep sessions and purge.
    private let duties: Duties

    /// The tasks over the store and the memory of `sessions`.
    /// - Parameters:
    ///   - log: Truncates the store's log after a deletion.
    ///   - epoch: The store's epoch (`SessionRestore`).
    ///   - wakeSignal: Signalled when followers of revocations and keys are to be notified.
    init(
        beside sessions: SessionsHandler, notices: any AccountNoticesAPI, log: LogTruncation,
        epoch: UInt64, wakeSignal: WakeSignal, logger: Logger
    ) {
        let (store, keys, settings) = (sessions.store, sessions.keys, sessions.settings)
        let (accessTokens, memory) = (sessions.accessTokens, sessions.memory)
        let (time, randomness) = (sessions.time, sessions.randomness)
        let delivery = NoticeDelivery(
            notices: notices, store: store, devicesShown: keys.devicesShown, time: time,
            logger: logger)
        outbox = OutboxRelay(
            store: store, time: time, randomness: randomness,
            deliver: { try await delivery.deliver($0) })
        revocations = RevocationRelay(
            store: store, log: RevocationLog(), revoked: memory.revoked, keys: accessTokens.keys,
            wakeSignal: wakeSignal, heartbeat: settings.endsHeartbeat,
            retention: accessTokens.retention, epoch: epoch, time: time, logger: logger)
        signingKeys = SigningKeyRotation(
            store: store, keys: accessTokens.keys,
            schedule: SigningKeySchedule(
                life: settings.signingKeyLife, verifiesFor: accessTokens.retention),
            generator: SigningKeyGenerator(box: keys.signingKeys, randomness: randomness),
            time: time, logger: logger, wakeSignal: wakeSignal)
        maintenance = SessionMaintenance(
            store: store, settings: settings, memory: memory, keys: accessTokens.keys,
            refreshTokens: sessions.refreshTokens, time: time, logger: logger)
        duties = Duties(
            of: store,
            purging: SessionTables.purges(endedSessionsFor: settings.endedSessionRetention),
            numbering: [.sessionEnds],
            [signingKeys.duty, log.duty] + maintenance.duties, time: time)
    }

    /// Runs until cancelled.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await outbox.run() }
            group.addTask { try await revocations.run() }
            group.addTask { try await maintenance.run() }
            group.addTask { await duties.run() }
            try await group.waitForAll()
        }
    }

    /// Writes data that is only in memory: the last step before the store closes.
    package func writeRemaining() async {
        await maintenance.writeActivity()
        await maintenance.writeRejectedTokens(all: true)
    }
}
