import Contracts
import Logging
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Reports to identity that a limit on guesses has locked an account (D0): identity's trail has the
/// account, the limiter's a hash of the address only. One report for each wait, by its first
/// refusal.
///
/// No answer waits for it. Attack: a stranger locks addresses by the thousand, to learn by the
/// times which of them have accounts, or to have all calls to identity in use. So at most
/// `underWayMax` reports are under way, and a further one is left out: the limiter's
/// `limit.reached` is the durable record.
final class LockNotes: Sendable {
    /// Reports that are under way.
    static let underWayMax = 32
    /// For one report; identity's commit takes milliseconds.
    private static let timeout = Duration.seconds(2)
    /// The longest wait that is reported, in milliseconds: 30 days. The number is the rate
    /// limiter's, and must not overflow a time.
    private static let waitMax: UInt64 = 30 * 86_400_000

    private let signals: any SignInSignalsAPI
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger
    private let underWay = Mutex(0)

    /// Reports to `signals`.
    init(
        signals: any SignInSignalsAPI, time: any Time, randomness: any Randomness, logger: Logger
    ) {
        self.signals = signals
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// Reports a refusal, if it is the first of a wait that locks an account.
    func note(
        _ decision: RateLimitV1.Decision, of owner: IdentityV1.NoteLockRequest.Owner,
        _ context: CallContext
    ) {
        guard decision.firstRefusal, let limit = LimitName(rawValue: decision.limit),
            LimitName.locksOfAccounts.contains(limit),
            // The flow has refused metadata that are malformed before it charged.
            let onward = try? context.onward(for: SignInSignalsDescription.noteLock)
        else { return }
        let isFree = underWay.withLock { count -> Bool in
            guard count < Self.underWayMax else { return false }
            count += 1
            return true
        }
        guard isFree else { return }
        let until = time.now() + .milliseconds(Int64(min(decision.retryAfterMs, Self.waitMax)))
        let request = IdentityV1.NoteLockRequest(
            limit: limit.rawValue, untilMs: until.milliseconds, owner: owner)
        var metadata = onward.metadata
        if onward.idempotencyKey == nil {
            metadata[Metadata.Key.idempotencyKey] = String(randomness.rowKey(), radix: 36)
        }
        send(
            request, CallContext(deadline: time.uptime() + Self.timeout, metadata: metadata))
    }

    private func send(_ request: IdentityV1.NoteLockRequest, _ context: CallContext) {
        Task {
            defer { underWay.withLock { $0 -= 1 } }
            do {
                _ = try await signals.noteLock(request, context)
            } catch {
                logger.warning(
                    "limits.lock.unrecorded", "identity did not record that an account is locked",
                    fields: [.limit: .text(request.limit), .detail: .error(error)])
            }
        }
    }
}
