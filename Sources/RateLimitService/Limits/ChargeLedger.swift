import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Synchronization

/// Remembers for a while the moment of each charge, so that it can be refunded once, and which
/// calls are retries of a charged one.
///
///     a call with a charge's id             charged    calls that share the charge
///     the first                             yes        1
///     a retry, up to `repeatsMax`           no         one more
///     a later retry                         refused    as before
///     one that is refunded                             one less; the last one refunds the charge
///
/// The attacks with one idempotency key:
/// - *A retry that fails on purpose refunds the first call's charge*: a charge is refunded only
///   with the last call that shares it, and a call that succeeded keeps its share.
/// - *A retry for each guess at a password*: few retries are allowed, and each guess is charged
///   (`RateLimiter.begin`).
///
/// A charge of a first proof is *held* until its second proof is there (F-03): its caller has ten
/// minutes, and the charge counts meanwhile.
///
///     a charge                            can be refunded
///     just made                           for 60 s
///     held, while it can be refunded      for 11 minutes from its moment, once
///     held, without capacity              no longer: it stays
///     of a guess that is settled later    for 15 minutes in any case (`UnsettledGuesses`)
///
/// Attack: a thief of passwords has one charge after another held, until the owners' charges are not.
/// Each is a right password, which has limits of its own; a charge that is not held stays, as that of
/// a wrong one.
///
/// Bounded in number and time. A charge that was dropped, or did not fit in, can no longer be
/// refunded. That errs on the strict side. Attack: with more than 1,666 charges a second, all
/// users' right passwords stay charged like wrong ones. This is accepted: each charge is limited by
/// its caller's address, and a ledger without bound would use up the memory. Charges under an
/// idempotency key survive a restart (`LimitJournalSource`), so that a retry is not charged again.
/// They cannot be refunded after a restart.
struct ChargeLedger: Sendable {
    /// How long a charge can be refunded: longer than any call may take.
    static let life = Duration.seconds(60)
    /// Retries of one call that are not charged: more than an application sends at once, and more
    /// than clients make during one call. Each of a sign-up on a taken email costs a hash and an
    /// audit record, but no further mail (`RegistrationDraft.ownerMailKey`).
    static let repeatsMax = 16
    /// How long a held charge can be refunded: longer than a sign-in waits for its second proof.
    static let heldLife = Duration.seconds(660)
    /// Memory: 300 bytes each, 6 MB.
    static let heldMax = 20_000
    private static let chargesMax = 100_000
    /// Entries examined for each new charge: more than one, so that the number of old ones falls.
    private static let dropsMax = 4

    /// Whether a call is a retry.
    enum Repetition: Hashable, Sendable {
        case none
        /// A retry of a call that was charged.
        case free
        /// One retry too many; retries are possible again when the charge is dropped.
        case refused(retryAfter: Duration)
    }

    /// A charge under an idempotency key, as the journal stores it.
    struct StoredCharge: Hashable, Sendable {
        let id: Int64
        let moment: Timestamp
        let repeats: Int
    }

    private struct Charge {
        /// Empty after a restart: then the charge can only be retried, not refunded.
        var keys: [LimitKey]
        /// Of those that were charged with more than one unit.
        var amounts: [LimitKey: Int] = [:]
        let moment: Timestamp
        let isRepeatable: Bool
        var repeats = 0
        /// The number of calls that share it.
        var resting = 1
    }

    private var charges: [Int64: Charge] = [:]
    private var order = ChargeOrder()
    /// The charges of first proofs.
    private var held: [Int64: Charge] = [:]
    private var heldOrder = ChargeOrder()
    /// The charges of guesses from known devices, which are kept for longer.
    var guesses = UnsettledGuesses()
    /// Repeatable charges that changed since the journal last took the changes.
    private var changes: Set<Int64> = []

    /// Records a charge under `id`, unless that id has a current one.
    /// - Parameter isRepeatable: the id was derived from an idempotency key.
    mutating func record(
        _ id: Int64, _ keys: [LimitKey], _ amounts: [LimitKey: Int] = [:], at moment: Timestamp,
        isRepeatable: Bool = false
    ) {
        let charge = Charge(
            keys: keys, amounts: amounts, moment: moment, isRepeatable: isRepeatable)
        insert(id, charge, at: moment)
        if isRepeatable { recordChange(of: id) }
    }

    /// Whether a call with `id` is a retry; counts one that need not be charged.
    mutating func repetition(of id: Int64, at now: Timestamp) -> Repetition {
        guard holds(id, at: now), var charge = charges[id] else { return .none }
        guard charge.repeats < Self.repeatsMax else {
            return .refused(retryAfter: charge.moment + Self.life - now)
        }
        charge.repeats += 1
        charge.resting += 1
        charges[id] = charge
        recordChange(of: id)
        return .free
    }

    /// A call gives up its share of a charge.
    /// - Returns: the charge's keys and moment if this was the last share; else nil.
    mutating func take(_ id: Int64, at now: Timestamp) -> (keys: [LimitKey], moment: Timestamp)? {
        if let guess = guesses.take(id, at: now) { return (guess.keys, guess.moment) }
        if let charge = held[id], now - charge.moment < Self.heldLife {
            held[id] = nil
            return charge.keys.isEmpty ? nil : (charge.keys, charge.moment)
        }
        guard holds(id, at: now), let charge = charges[id], !charge.keys.isEmpty else { return nil }
        guard charge.resting == 1 else {
            charges[id]?.resting -= 1
            return nil
        }
        charges[id] = nil
        if charge.isRepeatable { recordChange(of: id) }
        return (charge.keys, charge.moment)
    }

    /// Holds a charge, so that it can be refunded for longer.
    mutating func hold(_ id: Int64, at now: Timestamp) {
        for _ in 0..<Self.dropsMax {
            guard let (oldest, moment) = heldOrder.first else { break }
            let isCurrent = held[oldest]?.moment == moment
            guard !isCurrent || now - moment >= Self.heldLife else { break }
            if isCurrent { held[oldest] = nil }
            heldOrder.dropFirst()
        }
        guard held.count < Self.heldMax, holds(id, at: now), let charge = charges[id],
            !charge.isRepeatable
        else { return }
        charges[id] = nil
        held[id] = charge
        heldOrder.append(id, charge.moment)
        if heldOrder.count > 2 * Self.heldMax {
            heldOrder.retain { held[$0]?.moment == $1 }
        }
    }

    /// The amounts of a charge's keys that have more than one unit.
    func amounts(of id: Int64) -> [LimitKey: Int] {
        charges[id]?.amounts ?? held[id]?.amounts ?? [:]
    }

    /// Forgets that these subjects were charged. A subject that was reset has nothing to refund,
    /// and a charge made in the same millisecond after the reset belongs to another call.
    mutating func forget(_ keys: [LimitKey]) {
        for (id, charge) in charges where charge.keys.contains(where: keys.contains) {
            charges[id]?.keys.removeAll(where: keys.contains)
        }
        for (id, charge) in held where charge.keys.contains(where: keys.contains) {
            held[id]?.keys.removeAll(where: keys.contains)
        }
        guesses.forget(keys)
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
            // At least half of the entries are refunded ones behind one that still counts. Each
            // entry is moved once.
            order.retain { charges[$0]?.moment == $1 }
        }
    }

    /// Drops expired and refunded entries from the front.
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

    /// While the disk accepts no writes, at most `chargesMax` changes are listed. After a crash,
    /// retries of the others are charged.
    private mutating func recordChange(of id: Int64) {
        if changes.count < Self.chargesMax { changes.insert(id) }
    }

    /// The repeatable charges that changed since the last call; nil for one that was removed.
    mutating func takeChanges() -> [(id: Int64, charge: StoredCharge?)] {
        defer { changes = [] }
        return changes.map { ($0, storedCharge($0)) }
    }

    /// All repeatable charges.
    var storedCharges: [StoredCharge] { charges.keys.compactMap(storedCharge) }

    private func storedCharge(_ id: Int64) -> StoredCharge? {
        guard let charge = charges[id], charge.isRepeatable else { return nil }
        return StoredCharge(id: id, moment: charge.moment, repeats: charge.repeats)
    }

    /// Restores a charge from the journal.
    mutating func restore(_ stored: StoredCharge, at now: Timestamp) {
        guard now - stored.moment < Self.life else { return }
        charges[stored.id] = nil
        insert(
            stored.id,
            Charge(keys: [], moment: stored.moment, isRepeatable: true, repeats: stored.repeats),
            at: now)
    }

    /// Restores from the journal that a charge was removed.
    mutating func restoreEnd(of id: Int64) { charges[id] = nil }
}

/// The ledger of charges, shared by calls and the journal.
final class SharedLedger: Sendable {
    private let ledger = Mutex(ChargeLedger())

    /// Runs `body` with exclusive access to the ledger.
    func withLock<Result: Sendable>(
        _ body: (inout ChargeLedger) throws -> Result
    ) rethrows -> Result {
        try ledger.withLock { try body(&$0) }
    }
}

/// Charges in the order in which they were made, so that the oldest is found without a search.
struct ChargeOrder: Sendable {
    private var places: [(id: Int64, moment: Timestamp)] = []
    private var start = 0

    var count: Int { places.count - start }

    /// The oldest charge.
    var first: (id: Int64, moment: Timestamp)? { start < places.count ? places[start] : nil }

    mutating func append(_ id: Int64, _ moment: Timestamp) { places.append((id, moment)) }

    /// Drops the oldest. The others are moved up when half of all entries are dropped.
    mutating func dropFirst() {
        guard start < places.count else { return }
        start += 1
        guard start * 2 >= places.count else { return }
        places.removeFirst(start)
        start = 0
    }

    /// Keeps the entries for which `isRetained` returns true.
    mutating func retain(_ isRetained: (Int64, Timestamp) -> Bool) {
        places = places[start...].filter { isRetained($0.id, $0.moment) }
        start = 0
    }
}

/// The ids by which charges are refunded (`ChargeLedger`).
struct ChargeIDs: Sendable {
    /// Identifies the call that made a charge (G-25). Never rotated, because the charges it
    /// identifies are stored for one minute.
    let key: KeyedHash
    let randomness: any Randomness

    /// The id of the charge of a call with this idempotency key. A retry has the same id, so it is
    /// charged once (G-25). The charges are part of it. Attack: with one idempotency key, calls on
    /// many subjects would count as retries of the first one and would not be charged.
    func derived(
        from idempotencyKey: String, of application: String, _ charges: [RequestedCharge]
    ) -> Int64 {
        var message = Array("charge\0\(application)\0\(idempotencyKey)\0".utf8)
        for charge in charges {
            let subject = charge.limit.definition.subject.canonical(charge.subject)
            message += "\(charge.limit.number)\0\(subject.utf8.count)\0\(subject)".utf8
            // Attack: a small call's key makes a large one a retry.
            if charge.amount > 1 { message += "\0\(charge.amount)".utf8 }
        }
        let bits = key.lookUpKey(message).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return max(1, Int64(bits >> 1))
    }

    /// The id of a charge without an idempotency key. The ledger keeps it in memory only, because
    /// it cannot be retried.
    /// - Throws: `rpc/invalid-argument`.
    func chosen(by request: RateLimitV1.ConsumeRequest) throws(ServiceError) -> Int64 {
        guard !request.chargeId.isEmpty else { return randomness.rowKey() }
        return try Self.read(request.chargeId)
    }

    /// A charge's id from its text form.
    /// - Throws: `rpc/invalid-argument` for a text that is not an id.
    static func read(_ text: String) throws(ServiceError) -> Int64 {
        guard let id = UnsettledGuess.charge(text) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
        return id
    }
}
