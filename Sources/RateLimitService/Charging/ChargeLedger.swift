import ServiceRuntime

/// Remembers for a while which charge had which moment, so that each can be taken back once, and
/// which calls repeat one that has been charged.
///
///     repeat of a charge   charged   can be taken back afterwards
///     1st … 4th            no        no
///     5th and later        yes       no
///
/// The attacks, under one idempotency key:
/// - *A repeat that fails on purpose takes the first call's charge back*: a charge that more than
///   one call rests on stays.
/// - *A repeat for each guess at a password*: honest clients repeat a call once or twice.
///
/// Bounded in number and time; a charge that has left cannot be refunded any more, which errs on
/// the strict side, as does a restart.
struct ChargeLedger: Sendable {
    /// How long a charge can be taken back: longer than any call may take.
    static let life = Duration.seconds(60)
    /// Repeats of one call that are not charged: more than clients make while one is answered.
    static let freeRepeatsMax = 4
    private static let chargesMax = 100_000
    /// Places looked at for each charge that is noted: more than one, so that the old ones drain.
    private static let dropsMax = 4

    private struct Charge {
        var keys: [LimitKey]
        let moment: Timestamp
        var repeats = 0
    }

    private var charges: [Int64: Charge] = [:]
    private var order = ChargeOrder()

    /// Notes a charge under `id`, unless one stands there that others rest on.
    mutating func note(_ id: Int64, _ keys: [LimitKey], at moment: Timestamp) {
        dropOld(at: moment)
        guard charges.count < Self.chargesMax, !holds(id, at: moment) else { return }
        charges[id] = Charge(keys: keys, moment: moment)
        order.append(id, moment)
        if order.count > 2 * Self.chargesMax {
            // At least half have been taken back behind one that stands: each is moved once.
            order.keep { charges[$0]?.moment == $1 }
        }
    }

    /// Whether a call under `id` is a repeat that need not be charged; counts it as one.
    mutating func takesRepeat(of id: Int64, at now: Timestamp) -> Bool {
        guard holds(id, at: now), let repeats = charges[id]?.repeats else { return false }
        charges[id]?.repeats = min(repeats + 1, Self.freeRepeatsMax)
        return repeats < Self.freeRepeatsMax
    }

    /// The charge's keys and moment, once; nil where more than one call rests on it.
    mutating func take(_ id: Int64, at now: Timestamp) -> (keys: [LimitKey], moment: Timestamp)? {
        guard holds(id, at: now), let charge = charges[id], charge.repeats == 0 else { return nil }
        charges[id] = nil
        return (charge.keys, charge.moment)
    }

    /// Forgets that these subjects were charged: whoever was reset has nothing to get back, and what
    /// is charged in the same millisecond afterwards is another's.
    mutating func forget(_ keys: [LimitKey]) {
        for (id, charge) in charges where charge.keys.contains(where: keys.contains) {
            charges[id]?.keys.removeAll(where: keys.contains)
        }
    }

    private func holds(_ id: Int64, at now: Timestamp) -> Bool {
        charges[id].map { now - $0.moment < Self.life } ?? false
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
}
