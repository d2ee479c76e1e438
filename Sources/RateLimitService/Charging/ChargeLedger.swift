import ServiceRuntime

/// Remembers for a while which charge had which moment, so that each can be taken back once, and
/// which calls repeat one that has been charged.
///
///     a call under a charge's id            charged    calls that rest on the charge
///     the first                             yes        1
///     a repeat, up to `repeatsMax`          no         one more
///     a later repeat                        refused    as before
///     one that is taken back                           one less; with the last, the charge goes
///
/// The attacks, under one idempotency key:
/// - *A repeat that fails on purpose takes the first call's charge back*: a charge goes only with the
///   last call that rests on it, and a call that succeeded does not let go of it.
/// - *A repeat for each guess at a password*: repeats are few, and guesses are charged each
///   (`RateLimiter.begin`).
///
/// Bounded in number and time; a charge that has left cannot be refunded any more, which errs on
/// the strict side. What was charged under an idempotency key outlives a restart
/// (`LimitJournalSource`), so that a repeat is not charged again; it cannot be refunded after one.
struct ChargeLedger: Sendable {
    /// How long a charge can be taken back: longer than any call may take.
    static let life = Duration.seconds(60)
    /// Repeats of one call that are not charged: more than an application sends at once, and than
    /// clients make while one is answered.
    static let repeatsMax = 16
    private static let chargesMax = 100_000
    /// Places looked at for each charge that is noted: more than one, so that the old ones drain.
    private static let dropsMax = 4

    /// What a call under an id is.
    enum Repetition: Hashable, Sendable {
        case none
        /// Of a call that was charged.
        case free
        /// One too many; they end with the charge's life.
        case refused(retryAfter: Duration)
    }

    /// A charge under an idempotency key, as the journal keeps it.
    struct Kept: Hashable, Sendable {
        let id: Int64
        let moment: Timestamp
        let repeats: Int
    }

    private struct Charge {
        /// Empty after a restart: then it can only be repeated.
        var keys: [LimitKey]
        let moment: Timestamp
        let isRepeatable: Bool
        var repeats = 0
        /// Calls that rest on it.
        var resting = 1
    }

    private var charges: [Int64: Charge] = [:]
    private var order = ChargeOrder()
    /// Repeatable charges that the journal has not been given.
    private var changes: Set<Int64> = []

    /// Notes a charge under `id`, unless one stands there that others rest on.
    /// - Parameter isRepeatable: the id is that of an idempotency key.
    mutating func note(
        _ id: Int64, _ keys: [LimitKey], at moment: Timestamp, isRepeatable: Bool = false
    ) {
        insert(id, Charge(keys: keys, moment: moment, isRepeatable: isRepeatable), at: moment)
        if isRepeatable { noteChange(of: id) }
    }

    /// What a call under `id` is; counts it where it need not be charged.
    mutating func repetition(of id: Int64, at now: Timestamp) -> Repetition {
        guard holds(id, at: now), var charge = charges[id] else { return .none }
        guard charge.repeats < Self.repeatsMax else {
            return .refused(retryAfter: charge.moment + Self.life - now)
        }
        charge.repeats += 1
        charge.resting += 1
        charges[id] = charge
        noteChange(of: id)
        return .free
    }

    /// A call lets go of its charge.
    /// - Returns: the charge's keys and moment, with the last call that rests on it; else nil.
    mutating func take(_ id: Int64, at now: Timestamp) -> (keys: [LimitKey], moment: Timestamp)? {
        guard holds(id, at: now), let charge = charges[id], !charge.keys.isEmpty else { return nil }
        guard charge.resting == 1 else {
            charges[id]?.resting -= 1
            return nil
        }
        charges[id] = nil
        if charge.isRepeatable { noteChange(of: id) }
        return (charge.keys, charge.moment)
    }

    /// Forgets that these subjects were charged: a subject that was reset has nothing to get back,
    /// and what is charged in the same millisecond afterwards is another's.
    mutating func forget(_ keys: [LimitKey]) {
        for (id, charge) in charges where charge.keys.contains(where: keys.contains) {
            charges[id]?.keys.removeAll(where: keys.contains)
        }
    }

    private func holds(_ id: Int64, at now: Timestamp) -> Bool {
        charges[id].map { now - $0.moment < Self.life } ?? false
    }

    private mutating func insert(_ id: Int64, _ charge: Charge, at now: Timestamp) {
        dropOld(at: now)
        guard charges.count < Self.chargesMax, !holds(id, at: now) else { return }
        charges[id] = charge
        order.append(id, charge.moment)
        if order.count > 2 * Self.chargesMax {
            // At least half have been taken back behind one that stands: each is moved once.
            order.keep { charges[$0]?.moment == $1 }
        }
    }

    /// Drops what is over, or has been taken, from the front.
    private mutating func dropOld(at now: Timestamp) {
        for _ in 0..<Self.dropsMax {
            guard let (id, moment) = order.first else { return }
            let isCurrent = charges[id]?.moment == moment
            guard !isCurrent || now - moment >= Self.life else { return }
            if isCurrent { charges[id] = nil }
            order.dropFirst()
        }
    }

    // MARK: The journal

    /// While the disk takes nothing, the changes of more than all charges are not listed: after a
    /// crash their repeats are charged.
    private mutating func noteChange(of id: Int64) {
        if changes.count < Self.chargesMax { changes.insert(id) }
    }

    /// The repeatable charges that changed since the last call; nil for one that is gone.
    mutating func takeChanges() -> [(id: Int64, charge: Kept?)] {
        defer { changes = [] }
        return changes.map { ($0, kept($0)) }
    }

    /// All repeatable charges.
    var kept: [Kept] { charges.keys.compactMap(kept) }

    private func kept(_ id: Int64) -> Kept? {
        guard let charge = charges[id], charge.isRepeatable else { return nil }
        return Kept(id: id, moment: charge.moment, repeats: charge.repeats)
    }

    /// Takes a charge back from the journal.
    mutating func restore(_ kept: Kept, at now: Timestamp) {
        guard now - kept.moment < Self.life else { return }
        charges[kept.id] = nil
        insert(
            kept.id,
            Charge(keys: [], moment: kept.moment, isRepeatable: true, repeats: kept.repeats),
            at: now)
    }

    /// Takes back from the journal that a charge is gone.
    mutating func restoreEnd(of id: Int64) { charges[id] = nil }
}
