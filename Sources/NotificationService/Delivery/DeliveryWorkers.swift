import Logging
import ServiceRuntime
import Storage

/// The workers of all channels that have a route.
struct DeliveryWorkers: Sendable {
    /// Leases released in one statement.
    private static let batchMax = 500

    let workers: [DeliveryWorker]
    let parts: DeliveryParts

    init(_ parts: DeliveryParts, alarms: DeliverySignals, deliveriesMax: Int) {
        self.parts = parts
        workers = Channel.allCases.filter { parts.attempts.routes[$0] != nil }.map { channel in
            DeliveryWorker(
                channel, alarm: alarms[channel], deliveriesMax: deliveriesMax, parts: parts)
        }
    }

    /// Runs until cancelled or until a graceful shutdown; then lets running attempts finish.
    func run() async {
        await releaseLeases()
        await withDiscardingTaskGroup { group in
            for worker in workers { group.addTask { await worker.run() } }
        }
    }

    /// One store has one process, so all leases are from a previous one.
    private func releaseLeases() async {
        while !Task.isCancelled {
            do {
                return try await parts.store.write { transaction in
                    while try transaction.releaseLeases(limit: Self.batchMax) > 0 {}
                }
            } catch {
                parts.logger.error(
                    "notification.leases.release.failed", "releasing leases failed",
                    fields: [.detail: .error(error)])
                // If cancelled while it sleeps, the loop ends.
                try? await parts.time.sleep(for: DeliveryWorker.storeRetry)
            }
        }
    }
}

/// The signals that wake the workers.
struct DeliverySignals: Sendable {
    private let email = WakeSignal()
    private let sms = WakeSignal()
    private let push = WakeSignal()

    /// The signal of one channel's worker.
    subscript(channel: Channel) -> WakeSignal {
        switch channel {
        case .email: email
        case .sms: sms
        case .push: push
        }
    }
}
