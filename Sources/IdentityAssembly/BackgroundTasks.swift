import AccountLife
import IdentityService
import PersonalData
import ServiceLifecycle
import ServiceRuntime
import Storage

/// The identity service's work between calls: delivers the outbox, performs the duties of its
/// store, carries out deletions, and measures password schemes.
package struct BackgroundTasks: Service {
    private let responseTimeFloor: ResponseTimeFloor
    private let relay: OutboxRelay
    private let duties: Duties
    private let deletionWork: DeletionWork

    /// The tasks over one store. The store's owner closes it after `run` has returned.
    init(_ core: IdentityService, _ data: PersonalData, _ life: AccountLife) {
        let (store, time, delivery) = (core.store, core.time, core.delivery)
        responseTimeFloor = core.responseTimeFloor
        relay = OutboxRelay(
            store: store, time: time, randomness: core.writer.randomness,
            queues: OutboxTopic.queues, deliver: { try await delivery.deliver($0) })
        duties = Duties(
            of: store, purging: IdentityTables.purges, core.duties + data.duties + life.duties,
            time: time)
        deletionWork = life.deletionWork
    }

    /// Runs until the task is cancelled or a graceful shutdown begins.
    /// - Throws: as `OutboxRelay.run`.
    package func run() async throws {
        async let duties: Void = duties.run()
        async let responseTimeFloor: Void = responseTimeFloor.run()
        async let deletions: Void = deletionWork.run()
        try await relay.run()
        await duties
        await responseTimeFloor
        await deletions
    }
}
