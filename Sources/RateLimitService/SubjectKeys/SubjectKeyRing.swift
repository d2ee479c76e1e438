import ServiceRuntime

/// The secrets that subjects are hashed under, and which of them is asked when. A thief of
/// the files who also has a secret can try out whose counts they are; so an operator can have
/// another one made, and nobody is freed or charged by it:
///
///     secret      made by   new subjects   looked up   kept
///     current     rotation  under it       first       until the next rotation
///     former      –         none           after it    until nothing of it can count any more
///     forgotten   –         none           never       no: its row is deleted
///
///     what is kept of a subject stands under   a call finds          and does
///     the current secret, or none              it, or nothing        as without a rotation
///     a former secret                          nothing, then that    moves it to the current one
///     both (a crash while it was moved)        the current one       forgets the former's
///
/// Only hashes are kept, so states can be moved only when their subject is named again. A state
/// that nobody names for 90 days has ended by then, but for locks and high ladders: a former secret
/// stays for as long as one is there that was last charged before its end (`isSpent`). A lock for
/// good never ends: moved, it counts as charged at the move, so it needs its former secret no
/// longer. One that nobody names keeps that secret, until the operator has it forgotten.
///
/// Everybody must agree under which secret a subject stands, or it would be counted twice: the
/// table knows the current secret's number, and refuses a batch whose keys are another's with the
/// stripes locked (`LimitVerdict.isStale`). Such a call begins anew.
///
/// A class, so that a call which asks for it copies a reference and nothing else.
final class SubjectKeyRing: Sendable {
    /// Secrets at once: an operator who changes his mind, and does so again. Each one costs every
    /// look-up another hash.
    static let secretsMax = 4
    /// No window, wait or mark is longer, and no bucket takes longer to drain.
    static let keptAtLeast = LimitRule.markMax
    /// Charges may go under a secret for so long after its end is written: until the tables have
    /// gone over to the next one.
    static let changeover: Duration = .seconds(60)

    let current: SubjectHash
    /// The newest first.
    let formers: [SubjectHash]

    /// - Parameter secrets: the newest first.
    init?(_ secrets: [SubjectHash]) {
        guard let current = secrets.first else { return nil }
        self.current = current
        formers = Array(secrets.dropFirst())
    }

    /// The number that the tables go by.
    var number: Int64 { current.number }

    /// The key of a subject, where new charges go.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        current.limitKey(limit, subject)
    }

    /// Where the subject may still stand: under the secrets that were in force so short a while ago
    /// that a state of this rule still counts.
    func formerKeys(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, at now: Timestamp
    ) -> [LimitKey] {
        formers.lazy.filter { Self.mayHold($0, rule, at: now) }.map { $0.limitKey(limit, subject) }
    }

    /// What a lock for good is stored to be last charged at when it is moved: later than whatever a
    /// former secret may be needed for.
    func moveMoment(at now: Timestamp) -> Timestamp {
        max(now, current.since + Self.changeover + .milliseconds(1))
    }

    /// Since when the oldest secret has been in force. What counts from before it cannot be found,
    /// or has been moved.
    var oldest: Timestamp { (formers.last ?? current).since }

    /// Whether a former secret is of no use any more: nothing is there that it may be needed for.
    /// - Parameter isCharged: whether something counts that was last charged before a moment.
    static func isSpent(
        until: Timestamp, at now: Timestamp, isCharged: (_ before: Timestamp) -> Bool
    ) -> Bool {
        now - until >= keptAtLeast + changeover && !isCharged(until + changeover)
    }

    private static func mayHold(
        _ former: SubjectHash, _ rule: CountingRule, at now: Timestamp
    ) -> Bool {
        guard let until = former.until, let life = rule.lifeMax else { return true }
        return now - until < .milliseconds(life) + changeover
    }
}

extension CountingRule {
    /// How long a state counts at most after its last charge, in milliseconds; nil where that
    /// depends on the state.
    fileprivate var lifeMax: Int64? {
        switch self {
        case .ring(let rule): rule.window
        // A full bucket drains in so many steps, which are microseconds.
        case .rate(let rule): rule.burst * rule.step / 1_000 + 1
        case .ladder, .lock: nil
        }
    }
}
