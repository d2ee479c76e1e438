import Logging
import ServiceLifecycle
import ServiceRuntime
import Storage

/// Deletes expired claims and email changes every ten minutes. They hold personal data and can no
/// longer be used. Their accounts do not change.
struct PendingAddressSweep: Sendable {
    private static let interval: Duration = .seconds(600)
    /// Rows in one transaction. The limit keeps sign-ins from waiting for a long transaction.
    private static let atOnce: Int64 = 256

    let store: Store
    let time: any Time
    let logger: Logger

    /// Runs until the task is cancelled or a graceful shutdown begins.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                // Only cancellation ends the sleep early, and then the loop ends too.
                try? await time.sleep(for: Self.interval)
            }
        }
    }

    /// Deletes everything that has expired.
    func sweep() async {
        do {
            while try await store.write({ try $0.sweepPendingAddresses(atMost: Self.atOnce) }) > 0 {
            }
        } catch {
            logger.warning(
                "identity.pending_addresses.cleanup.failed",
                "deleting expired pending addresses failed", fields: [.detail: .error(error)])
        }
    }
}
