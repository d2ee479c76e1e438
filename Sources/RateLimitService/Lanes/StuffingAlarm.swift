import ServiceRuntime

/// The alarm of credential stuffing: thousands of leaked pairs of email and password are tried,
/// each once, from thousands of addresses, so that no limit on an account, an address or a device is
/// ever reached. What shows is only that so many fail in all.
///
/// What counts: sign-ins on accounts from devices that they are not known by, which failed, or which
/// were refused because the alarm is on. (Not those that another limit refuses: one stranger at one
/// account could else raise the alarm alone.)
///
///     in a window of W      alarm
///     the T-th attempt      on
///     T or more             stays on through the next window
///     fewer than T          off when the window ends
///
/// While it is on, such sign-ins share one narrow lane, `sign-in-without-history`, of at most a
/// hundredth of T in W: of an attack that keeps the alarm on, no more than a hundredth is evaluated,
/// at any speed. Owners on devices that they are known by have their own lanes and notice nothing;
/// on new devices they can still reset their password or come by a provider.
struct StuffingAlarm: Sendable {
    /// What an attempt did to the alarm.
    enum Change: Hashable {
        case none
        case raised
    }

    private var start = Timestamp(milliseconds: 0)
    private var count = 0
    /// Whether the window before this one had enough attempts.
    private var isCarried = false

    /// Whether the alarm is on.
    func isOn(at now: Timestamp, _ rule: StuffingRule) -> Bool {
        var later = self
        later.enter(now, rule)
        return later.isCarried || later.count >= rule.attempts
    }

    /// Counts an attempt.
    mutating func note(at now: Timestamp, _ rule: StuffingRule) -> Change {
        enter(now, rule)
        let wasOn = isCarried || count >= rule.attempts
        count = min(count + 1, rule.attempts)
        return !wasOn && count >= rule.attempts ? .raised : .none
    }

    /// An attempt of the moment `charged` was right, or none after all.
    mutating func takeBack(of charged: Timestamp, _ rule: StuffingRule) {
        // What has raised the alarm is not taken back: the window has seen enough.
        guard charged >= start, count > 0, count < rule.attempts else { return }
        count -= 1
    }

    /// Ends the windows that are over at `now`. A clock that went backwards ends none.
    private mutating func enter(_ now: Timestamp, _ rule: StuffingRule) {
        guard now - start >= rule.window else { return }
        isCarried = count >= rule.attempts && now - start < rule.window + rule.window
        start = now
        count = 0
    }
}

/// When the alarm is raised: `attempts` in a `window`.
struct StuffingRule: Hashable, Sendable {
    let attempts: Int
    let window: Duration

    /// As `sign-in-failures-overall` says.
    init(_ rule: LimitRule) {
        guard case .rate(let count, let window) = rule else {
            preconditionFailure("the alarm's rule is a rate; operators change its numbers only")
        }
        attempts = count
        self.window = window
    }
}
