import Logging
import ServiceLifecycle
package import ServiceRuntime

/// Periodic work that is done once for a store, not once for each instance of its service: purges,
/// sweeps, the schedule of a key, gauges, the intake of a feed. What an instance does for its own
/// memory (`ResponseTimeFloor`) or only for itself (`ClockMarking`) is no duty.
///
/// A duty that does not run costs delay and space, never correctness: a read compares the expiry
/// itself, and a step can be repeated.
package struct Duty: Sendable {
    /// The name in the log.
    let name: String
    /// The wait after a step that left nothing to do.
    let interval: Duration
    /// Ends that wait early; nil for a duty that runs at its interval only.
    let signal: WakeSignal?
    /// Does a bounded part of the work. Returns whether there is more to do at once.
    let step: @Sendable () async throws -> Bool

    /// A duty.
    /// - Parameters:
    ///   - name: The name in the log.
    ///   - interval: The wait after a step that left nothing to do.
    ///   - signal: Ends that wait early, for work that a flow has committed; nil for none.
    ///   - step: Does a bounded part of the work. Returns whether there is more to do at once.
    package init(
        _ name: String, every interval: Duration, wokenBy signal: WakeSignal? = nil,
        step: @escaping @Sendable () async throws -> Bool
    ) {
        self.name = name
        self.interval = interval
        self.signal = signal
        self.step = step
    }
}

/// The duties of one store, and who performs them.
///
/// The embedded engine's store is held by one process (`StoreLock`), so that process holds all
/// duties while the store is open. There is no lease to take or to renew, and an idle service
/// writes nothing for it. An engine for several instances needs both here, and a fence in the
/// transactions of a step; there is none yet.
package struct Duties: Sendable {
    /// The longest wait after a failed step.
    private static let retryMax: Duration = .seconds(60)

    private let duties: [Duty]
    private let time: any Time
    private let logger: Logger

    /// The duties of `store`: `others`, the purge of `tables` and of the tables that every store
    /// has, and those of its audit trail.
    /// - Parameter feeds: The store's feeds beside the audit trail.
    package init(
        of store: Store, purging tables: [Purge], numbering feeds: [Feed] = [], _ others: [Duty],
        time: any Time
    ) {
        let trail = store.auditTrail.map { trail in
            [
                AuditLinking(store: store, trail: trail, time: time).duty,
                AuditRetention(store: store, trail: trail, time: time).duty,
            ]
        }
        let purges = Purges(of: store, tables, numbering: feeds, time: time)
        duties = [purges.duty] + (trail ?? []) + others
        self.time = time
        logger = store.logger
    }

    /// Performs all of them until cancelled or until a graceful shutdown. Each begins at once, and
    /// none waits for another.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for duty in duties { group.addTask { await perform(duty) } }
            }
        }
    }

    private func perform(_ duty: Duty) async {
        var failures = 0
        while !Task.isCancelled {
            var rest = duty.interval
            do {
                let isMore = try await duty.step()
                if failures > 0 {
                    logger.info(
                        "duty.recovered", "a background duty works again",
                        fields: [.part: .text(duty.name), .count: .count(failures)])
                }
                failures = 0
                if isMore { continue }
            } catch {
                // A step that the shutdown cut off is repeated after the next start.
                if Task.isCancelled { return }
                failures += 1
                report(duty, error, failures)
                rest = min(rest, Self.retryMax)
            }
            if let signal = duty.signal {
                await signal.wait(atMost: rest, time: time)
            } else {
                // Only cancellation ends the sleep early, and then the loop ends too.
                try? await time.sleep(for: rest)
            }
        }
    }

    /// Logs the first failure in a row, the second, the fourth and so on, and then about one each
    /// hour: a peer that is away or a full disk must neither flood the log nor be forgotten.
    private func report(_ duty: Duty, _ error: any Error, _ failures: Int) {
        guard failures.isLoggedFailure || failures.isMultiple(of: 64) else { return }
        logger.warning(
            "duty.failed", "a background duty failed; it is retried",
            fields: [
                .part: .text(duty.name), .attempt: .count(failures), .detail: .error(error),
            ])
    }
}
