import Contracts
import ServiceRuntime

/// The charges of guesses from known devices whose outcome was not reported: the caller or
/// the gateway has gone, or the service that compares did not answer in time. Without this, an
/// owner who enters the right password five times while that service hangs is locked out of the
/// known device for 15 minutes.
///
/// Each charge to `failed-sign-in-by-known-device` by a sign-in is kept here until its outcome is known. It
/// counts meanwhile, in all limits. This service calls no other, and the gateway that made the
/// charge may have gone. So the gateway of the next refused attempt asks the identity service:
///
///     a charge in the lane                event                           then
///     just made                           the gateway reports a success   refunded
///     just made                           the gateway reports nothing     unsettled
///     unsettled, younger than 500 ms      an attempt is refused           not listed; wait 1 s
///     unsettled                           an attempt is refused           listed in the response
///     listed, a wrong password compared   settled by the next charge      stays, no longer kept
///     listed, right or not compared       settled by the next charge      refunded, once
///     listed, no answer from identity     the next attempt                listed again
///     15 minutes old                                                      counts no more
///
/// A failure need not be reported: a wrong guess is kept like one without an outcome, and the sixth
/// attempt finds out. A charge is refunded only after the identity service has recorded that no
/// wrong password was answered for it, and then none ever is (`ChargedGuess`). So at most five
/// wrong passwords are answered in 15 minutes, as without refunds.
///
///     bound                            number       who pays when it is full
///     charges of a device              the limit    that device waits, as without this
///     charges in all                   50,000       later charges are not kept: an owner whose
///                                                   guess gets no answer waits, as without this
///     age of a charge                  15 minutes   one that counts longer, by the operator's
///                                                   file, is not settled after that
///
/// Only a device that an account knows adds charges, five for each account and 50 for each address
/// in 15 minutes.
///
/// The attacks:
/// - *An attacker who has a known device's id abandons each guess to have it refunded*: a guess
///   that was answered as wrong stays. One that was not answered reveals nothing.
/// - *The outcome is read off*: whether a charge was refunded shows the caller whether the password
///   was wrong. The caller has paid for that with the charge.
/// - *Refused attempts make the gateway ask without end*: a charge is listed until it is settled
///   once, and not before it is 500 ms old.
/// - *Many attempts at once settle one charge twice*: the first removes it.
/// - *A charge in the same millisecond is refunded for another*: charge and record are removed
///   together, also in the journal (`LimitJournalSource`), and a reset forgets both.
///
/// After a rotation of the subject key such charges are found, since their lane keeps its key while
/// they count. Only those of a lane in a shared bucket are not, and stay.
struct UnsettledGuesses: Sendable {
    /// The age at which a charge is listed. The gateway's call to the identity service follows the
    /// charge within milliseconds. A younger guess is likely to be answered, and to ask about it
    /// would make it void.
    static let askedAfter = Duration.milliseconds(500)
    /// The wait in a refusal while charges are unsettled.
    static let wait = Duration.seconds(1)
    /// Memory: 300 bytes each, 15 MB.
    static let guessesMax = 50_000
    /// Entries examined for each new charge: more than one, so that the number of old ones falls.
    private static let dropsMax = 4
    /// The lane whose charges are kept.
    static let lane = LimitName.failedSignInByKnownDevice

    /// An unsettled charge.
    struct Guess: Hashable, Sendable {
        /// The key of the known device's lane.
        let lane: LimitKey
        /// The keys that were charged.
        var keys: [LimitKey]
        let moment: Timestamp
    }

    private var guesses: [Int64: Guess] = [:]
    /// The charges of each lane, oldest first.
    private var lanes: [LimitKey: [Int64]] = [:]
    private var order = ChargeOrder()
    /// Charges that changed since the journal last took the changes.
    private var changes: Set<Int64> = []

    /// Keeps a charge.
    /// - Returns: false if there is no capacity, or a charge with this id.
    mutating func record(_ id: Int64, _ guess: Guess) -> Bool {
        dropOld(at: guess.moment)
        // While the disk accepts no writes, changes add up too.
        guard guesses.count < Self.guessesMax, changes.count < Self.guessesMax,
            guesses[id] == nil
        else { return false }
        guesses[id] = guess
        lanes[guess.lane, default: []].append(id)
        order.append(id, guess.moment)
        if order.count > 2 * Self.guessesMax {
            order.retain { guesses[$0]?.moment == $1 }
        }
        changes.insert(id)
        return true
    }

    /// The charges of a lane that the gateway can ask about, and whether there are younger ones.
    func unsettled(in lane: LimitKey, at now: Timestamp) -> (listed: [Int64], areOthers: Bool) {
        let current = (lanes[lane] ?? []).filter { holds($0, at: now) }
        let listed = current.filter { id in
            let age = guesses[id].map { now - $0.moment } ?? .zero
            // A charge in the future was made before the clock was set back.
            return age >= Self.askedAfter || age < .zero
        }
        return (Array(listed.prefix(UnsettledGuess.guessesMax)), listed.count < current.count)
    }

    /// Whether a charge is kept.
    func keeps(_ id: Int64) -> Bool { guesses[id] != nil }

    /// Removes a charge whose outcome is known.
    /// - Returns: the charge, for its refund; nil if it is not kept.
    mutating func take(_ id: Int64, at now: Timestamp) -> Guess? {
        guard holds(id, at: now) else { return nil }
        return remove(id)
    }

    /// Forgets that these subjects were charged (`ChargeLedger.forget`).
    mutating func forget(_ keys: [LimitKey]) {
        for (id, guess) in guesses where guess.keys.contains(where: keys.contains) {
            guesses[id]?.keys.removeAll(where: keys.contains)
            changes.insert(id)
        }
    }

    private func holds(_ id: Int64, at now: Timestamp) -> Bool {
        guesses[id].map { now - $0.moment < UnsettledGuess.life } ?? false
    }

    @discardableResult
    private mutating func remove(_ id: Int64) -> Guess? {
        guard let guess = guesses.removeValue(forKey: id) else { return nil }
        lanes[guess.lane]?.removeAll { $0 == id }
        if lanes[guess.lane]?.isEmpty == true { lanes[guess.lane] = nil }
        changes.insert(id)
        return guess
    }

    /// Drops expired and settled entries from the front.
    private mutating func dropOld(at now: Timestamp) {
        for _ in 0..<Self.dropsMax {
            guard let (id, moment) = order.first else { return }
            let isCurrent = guesses[id]?.moment == moment
            guard !isCurrent || now - moment >= UnsettledGuess.life else { return }
            if isCurrent { remove(id) }
            order.dropFirst()
        }
    }

    // MARK: The journal

    /// The charges that changed since the last call; nil for one that was removed.
    mutating func takeChanges() -> [(id: Int64, guess: Guess?)] {
        defer { changes = [] }
        return changes.map { ($0, guesses[$0]) }
    }

    /// All charges, in no order.
    var stored: [(id: Int64, guess: Guess)] { guesses.map { ($0.key, $0.value) } }

    /// Restores a charge from the journal, or that it was removed.
    mutating func restore(_ id: Int64, _ guess: Guess?, at now: Timestamp) {
        remove(id)
        if let guess, now - guess.moment < UnsettledGuess.life { _ = record(id, guess) }
        changes.remove(id)
    }
}
