import IdentityService
import Logging
import Metrics
import ServiceLifecycle
import ServiceRuntime
import Storage
import Synchronization

/// Carries out the deletions (G-20): begins those whose wait is over, and does their steps, one
/// after the other, each as soon as the one before is committed. Several deletions at a time, each
/// account by one task. It is woken after the commit that begins a deletion, and looks at the store
/// at its start: a deletion that a crash interrupted resumes with its next step.
///
///     waiting ── its mail is sent, its time comes ──▶ step ── done ──▶ next step … ──▶ no row
///                                                      ▲  │
///                                                      └──┘ failed: again, later each time
package final class DeletionWork: Sendable {
    /// Deletions at a time. Each waits for other services most of its time, and 8 use less than one
    /// connection to each.
    static let parallelMax = 8
    /// The longest wait between two looks at the store. Only this process begins deletions, so
    /// everything else wakes it.
    static let restMax: Duration = .seconds(60)
    /// The wait after the store failed.
    static let storeRetry: Duration = .seconds(1)
    /// The wait after the first failed try of a step, which doubles up to `longestBackoff`.
    static let firstBackoff: Duration = .milliseconds(250)
    static let longestBackoff: Duration = .seconds(300)
    /// How often a deletion that a suspension holds is looked at.
    static let heldRetry: Duration = .seconds(3_600)

    let steps: DeletionSteps
    /// With it, what was deleted is in no file any more, 10 s after a deletion at the latest.
    let log: LogTruncation
    private let store: Store
    private let deletions: DeletionContext
    private let time: any Time
    private let logger: Logger
    private let failures: [DeletionStep: Counter]
    /// The accounts whose deletion a task works on.
    private let underway = Mutex<Set<AccountID>>([])

    init(_ steps: DeletionSteps, metrics: any MetricsFactory) {
        self.steps = steps
        store = steps.store
        log = LogTruncation(of: steps.store)
        deletions = steps.deletions
        time = steps.time
        logger = steps.logger
        failures = Dictionary(
            uniqueKeysWithValues: DeletionStep.allCases.map { step in
                let dimensions = [("step", step.name)]
                return (
                    step,
                    Counter(
                        label: "identity_deletion_failures", dimensions: dimensions,
                        factory: metrics)
                )
            })
    }

    /// Runs until cancelled or shut down.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { jobs in
                while !Task.isCancelled {
                    let rest = await self.startDue(&jobs)
                    await self.deletions.untilWoken(atMost: rest, time: self.time)
                }
            }
        }
    }

    /// Starts the deletions that are due, as many as have a place.
    /// - Returns: how long to wait when no signal comes.
    private func startDue(_ jobs: inout DiscardingTaskGroup) async -> Duration {
        let busy = underway.withLock { $0 }
        guard busy.count < Self.parallelMax else { return Self.restMax }
        let now = time.now()
        do {
            let (due, next) = try await store.read { session in
                (
                    try session.dueDeletions(at: now, limit: Self.parallelMax + busy.count),
                    try session.nextDeletion(after: now)
                )
            }
            let free = due.filter { !busy.contains($0) }.prefix(Self.parallelMax - busy.count)
            for account in free {
                underway.withLock { _ = $0.insert(account) }
                jobs.addTask { await self.work(on: account) }
            }
            return min(next.map { $0 - time.now() } ?? Self.restMax, Self.restMax)
        } catch {
            if Task.isCancelled { return .zero }
            logger.warning(
                "identity.deletions.read_failed", "reading the deletions failed",
                fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    private func work(on account: AccountID) async {
        await perform(account)
        underway.withLock { _ = $0.remove(account) }
        deletions.wake()
    }

    /// Does what is due of the deletion of an account, and returns when it is done, waits, or has
    /// failed.
    func perform(_ account: AccountID) async {
        var step: DeletionStep?
        do {
            while let deletion = try await dueDeletion(of: account) {
                step = deletion.step
                guard let current = deletion.step else {
                    try await beginOrNotify(account)
                    continue
                }
                try await steps.perform(current, of: deletion)
                if current == .rows || current == .end { log.recordDeletion() }
            }
        } catch {
            // What a shutdown cuts off is no failure: it goes on after the next start.
            if Task.isCancelled { return }
            await postpone(account, step, error)
        }
    }

    /// The deletion of an account, if it is due.
    private func dueDeletion(of account: AccountID) async throws -> StoredDeletion? {
        let now = time.now()
        guard let deletion = try await store.read({ try $0.deletion(of: account) }),
            deletion.nextAttemptAt <= now, !Task.isCancelled
        else { return nil }
        return deletion
    }

    /// A deletion that waits: begins it if its time has come, else tells the owner, once.
    ///
    /// Attack: an owner who expects a suspension requests a deletion before it, and signs up again
    /// after it. So an owner's deletion waits for as long as the account is suspended.
    ///
    /// Attack: a thief with the owner's session requests and cancels a deletion until no more notices
    /// go out (`NoticeRule`), and then requests one of which the owner would never hear. So an owner
    /// who could not be told is told later.
    private func beginOrNotify(_ account: AccountID) async throws {
        let mail = DeletionMail(settings: steps.settings, writer: steps.writer)
        try await store.write(about: [.account(account)]) { transaction in
            guard var deletion = try transaction.deletion(of: account), deletion.step == nil
            else { return }
            if deletion.dueAt <= transaction.at, try transaction.isHeld(deletion) {
                deletion.nextAttemptAt = transaction.at + Self.heldRetry
                return try transaction.update(deletion)
            }
            if try transaction.beginDueDeletion(&deletion) { return }
            deletion.nextAttemptAt = deletion.dueAt
            if deletion.keepLink == nil {
                let notice = try mail.scheduled(deletion, transaction)
                deletion.keepLink = notice?.keepLink
                if notice == nil {
                    deletion.nextAttemptAt = min(
                        deletion.dueAt, transaction.at + NoticeRule.window)
                }
            }
            deletion.attempts = 0
            try transaction.update(deletion)
        }
    }

    private func postpone(
        _ account: AccountID, _ step: DeletionStep?, _ error: any Error
    ) async {
        if let step { failures[step]?.increment() }
        let random = deletions.randomness.integer()
        do {
            let attempts = try await store.write(about: [.account(account)]) { transaction in
                guard var deletion = try transaction.deletion(of: account) else { return Int64(0) }
                deletion.attempts += 1
                deletion.nextAttemptAt =
                    transaction.at
                    + Backoff.wait(
                        failures: Int(clamping: deletion.attempts), first: Self.firstBackoff,
                        most: Self.longestBackoff, random: random)
                try transaction.update(deletion)
                return deletion.attempts
            }
            logger.warning(
                "identity.deletion.failed", "a step of a deletion failed; it will be retried",
                fields: [
                    .account: .text(account.text), .part: .text(step?.name ?? "waiting"),
                    .attempt: .integer(attempts), .detail: .error(error),
                ])
        } catch {
            logger.warning(
                "identity.deletions.write_failed", "recording a failed step of a deletion failed",
                fields: [.account: .text(account.text), .detail: .error(error)])
            // Only cancellation ends the sleep early.
            try? await time.sleep(for: Self.storeRetry)
        }
    }
}
