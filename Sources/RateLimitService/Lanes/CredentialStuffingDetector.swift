import ServiceRuntime

/// The alarm of credential stuffing: thousands of leaked pairs of email and password are tried,
/// each once, from thousands of addresses, so that no limit on an account, an address or a device is
/// ever reached. What shows is only that so many fail in all.
///
/// What counts: sign-ins on accounts from devices that they are not known by, which failed, or which
/// were refused because the alarm is on. (Not those that another limit refuses: one stranger at one
/// account could else raise the alarm alone.) Of one site ten count in a window, so that nobody who
/// has one address, or one /48, raises the alarm or keeps it on; and what the narrow lane refuses is
/// charged to its address all the same.
///
///     in a window of W      alarm
///     the T-th attempt      on
///     T or more             stays on through the next window, unless it was on for all of this one
///                           and fewer than half of those that were evaluated failed
///     fewer than T          off when the window ends
///
/// Attempts that are refused because of the alarm tell nothing of who makes them: where so many
/// honest people sign in on new devices, they alone would keep it on for ever. So what passes the
/// narrow lane is the sample: of leaked pairs one in a hundred is right, of honest people nearly all
/// are, and each that is gives its place in the lane back. (Whoever spoils the sample with accounts
/// of his own has the alarm end, and is slowed down again T failures later.)
///
/// While it is on, such sign-ins share one narrow lane, `sign-in-without-history`, of at most a
/// hundredth of T in W, and of one place for each site: of an attack that keeps the alarm on, no more than a hundredth is evaluated,
/// at any speed. Owners on devices that they are known by have their own lanes and notice nothing;
/// on new devices they can still reset their password or come by a provider.
struct CredentialStuffingDetector: Sendable {
    /// What an attempt did to the alarm.
    enum Change: Hashable {
        case none
        case raised
    }

    private var start = Timestamp(milliseconds: 0)
    private var count = 0
    /// Whether the window before this one had enough attempts.
    private var isCarried = false
    /// Of this window, while it is carried: attempts that passed the narrow lane, and those of them
    /// that were right.
    private var evaluated = 0
    private var right = 0

    /// Whether the alarm is on.
    func isOn(at now: Timestamp, _ rule: CredentialStuffingRule) -> Bool {
        var later = self
        later.enter(now, rule)
        return later.isCarried || later.count >= rule.attempts
    }

    /// Counts an attempt.
    /// - Parameter isEvaluated: its password is looked at; else it was refused by the narrow lane.
    mutating func note(
        at now: Timestamp, isEvaluated: Bool, _ rule: CredentialStuffingRule
    ) -> Change {
        enter(now, rule)
        if isCarried, isEvaluated { evaluated += 1 }
        let wasOn = isCarried || count >= rule.attempts
        count = min(count + 1, rule.attempts)
        return !wasOn && count >= rule.attempts ? .raised : .none
    }

    /// An attempt of the moment `charged` was right, or none after all.
    mutating func takeBack(of charged: Timestamp, isRight: Bool, _ rule: CredentialStuffingRule) {
        guard charged >= start else { return }
        if isCarried, isRight, right < evaluated { right += 1 }
        if isCarried, !isRight, evaluated > right { evaluated -= 1 }
        // What has raised the alarm is not taken back: the window has seen enough.
        guard count > 0, count < rule.attempts else { return }
        count -= 1
    }

    /// Whether fewer than half of the sample failed.
    private var isHonest: Bool { evaluated - right < right }

    /// Ends the windows that are over at `now`. A clock that went backwards ends none.
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

    /// As `sign-in-failures-overall` says.
    init(_ rule: LimitRule) {
        guard case .rate(let count, let window) = rule else {
            preconditionFailure("the alarm's rule is a rate; operators change its numbers only")
        }
        attempts = count
        self.window = window
    }
}
