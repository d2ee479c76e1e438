import ServiceRuntime
import Storage

/// The background tasks of `postern-session`: delivers notices, streams revocations, rotates keys,
/// and maintains store and memory.
package struct SessionBackgroundTasks: Sendable {
    /// Delivers notices to identity.
    let outbox: OutboxRelay
    let revocations: RevocationRelay
    let signingKeys: SigningKeyRotation
    let maintenance: SessionMaintenance

    /// Runs until cancelled.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await outbox.run() }
            group.addTask { try await revocations.run() }
            group.addTask { try await signingKeys.run() }
            group.addTask { try await maintenance.run() }
            try await group.waitForAll()
        }
    }

    /// Writes data that is only in memory: the last step before the store closes.
    package func writeRemaining() async {
        await maintenance.writeActivity()
        await maintenance.writeRejectedTokens(all: true)
    }
}
