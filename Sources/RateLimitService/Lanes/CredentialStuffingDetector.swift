import Contracts
import ServiceRuntime

/// Detects credential stuffing: thousands of leaked pairs of email and password are tried, each
/// once, from thousands of addresses. No limit on an account, an address or a device is then
/// reached. The only sign is the number of failures in all.
///
/// Counted are sign-ins from devices that the account does not know which failed, or which were
/// refused because the alarm is on. (Those that another limit refuses are not counted. Otherwise
/// one stranger at one account could raise the alarm alone.) Each site counts at most ten in a
/// window, so that an attacker with one address or one /48 can neither raise the alarm nor keep it
/// on. An attempt that the alarm's limit refuses is still charged to its address.
///
///     in a window of W      alarm
///     the T-th attempt      on
///     T or more             stays on through the next window, unless it was on for all of this one
///                           and fewer than half of the evaluated attempts failed
///     fewer than T          off when the window ends
///
/// Attempts that are refused because of the alarm do not show who makes them. If many honest users
/// sign in on new devices, their refused attempts alone would keep the alarm on indefinitely. So
/// the attempts that pass the alarm's limit are the sample: of leaked pairs one in a hundred is
/// right, of honest users' passwords nearly all are, and each right one gives its place in the
/// limit back. (An attacker who falsifies the sample with accounts of his own ends the alarm, and
/// raises it again T failures later.)
///
/// While the alarm is on, such sign-ins share one narrow limit, `sign-in-without-history`, of at
/// most a hundredth of T in W, and one place for each site. So of an attack that keeps the alarm
/// on, at most a hundredth is evaluated, at any speed. Owners on known devices have their own
/// limits and are not affected. On new devices they can still reset their password or sign in with
/// a provider.
struct CredentialStuffingDetector: Sendable {
    private var start = Timestamp(milliseconds: 0)
    private var count = 0
    /// Whether the previous window had enough attempts.
    private var isCarried = false
    /// In this window, while the alarm is carried over: the attempts that passed the alarm's limit,
    /// and how many of them were right.
    private var evaluated = 0
    private var right = 0

    /// Whether the alarm is on.
    func isOn(at now: Timestamp, _ rule: CredentialStuffingRule) -> Bool {
        var later = self
        later.enter(now, rule)
        return later.isCarried || later.count >= rule.attempts
    }

    /// Counts an attempt.
    /// - Returns: whether it raised the alarm.
    /// - Parameter isEvaluated: its password is verified; otherwise the alarm's limit refused it.
    mutating func record(
        at now: Timestamp, isEvaluated: Bool, _ rule: CredentialStuffingRule
    ) -> Bool {
        enter(now, rule)
        if isCarried, isEvaluated { evaluated += 1 }
        let wasOn = isCarried || count >= rule.attempts
        count = min(count + 1, rule.attempts)
        return !wasOn && count >= rule.attempts
    }

    /// The attempt charged at `charged` was right, or does not count.
    mutating func refund(
        chargedAt charged: Timestamp, isRight: Bool, _ rule: CredentialStuffingRule
    ) {
        guard charged >= start else { return }
        if isCarried, isRight, right < evaluated { right += 1 }
        if isCarried, !isRight, evaluated > right { evaluated -= 1 }
        // The attempts that raised the alarm are not taken back, so that the alarm stays on for the
        // window.
        guard count > 0, count < rule.attempts else { return }
        count -= 1
    }

    /// Whether fewer than half of the sample failed.
    private var isHonest: Bool { evaluated - right < right }

    /// Ends the windows that are over at `now`. A clock that was set back ends none.
    private mutating func enter(_ now: Timestamp, _ rule: CredentialStuffingRule) {
        guard now - start >= rule.window else { return }
        isCarried =
            count >= rule.attempts && !isHonest && now - start < rule.window + rule.window
        start = now
        count = 0
        evaluated = 0
        right = 0
    }
}

/// When the alarm is raised: `attempts` in a `window`.
struct CredentialStuffingRule: Hashable, Sendable {
    let attempts: Int
    let window: Duration

    /// The numbers of `sign-in-failures-overall`.
    init(_ rule: LimitRule) {
        guard case .gcra(let count, let window) = rule else {
            preconditionFailure("the alarm's rule is a rate; operators change its numbers only")
        }
        attempts = count
        self.window = window
    }
}
