import Logging
import ServiceLifecycle
import ServiceRuntime
import Storage

/// Drops claims and changes of address that have expired, every ten minutes: they hold what
/// somebody typed, and nobody can use them any more. Their accounts stay what they are.
struct PendingAddressSweep: Sendable {
    private static let interval: Duration = .seconds(600)
    /// In one transaction, so that no sign-in waits for a long one.
    private static let atOnce: Int64 = 256

    let store: Store
    let time: any Time
    let logger: Logger

    /// Sweeps until cancelled or told to shut down.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                // Only cancellation ends the sleep early, and then the loop ends too.
                try? await time.sleep(for: Self.interval)
            }
        }
    }

    /// Sweeps once, all that has expired.
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
