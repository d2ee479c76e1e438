import Contracts
import ServiceRuntime
import Storage

/// One limit that one subject has reached, until its wait is over.
struct LimitHit: Hashable, Sendable {
    let key: LimitKey
    let limit: LimitName
    let since: Timestamp
    /// When the wait is over and its audit event is written.
    let until: Timestamp
    /// The number of refused attempts.
    var refused: Int
    /// The number of the first refused attempt in the limit's count.
    let attempt: Int

    /// The audit event. It names the limit as the one who acted, and contains the subject only as a
    /// hash.
    var event: AuditEvent {
        AuditEvent(
            limit.auditKind(refused: refused, attempt: attempt),
            subject: key.isEverybody ? nil : key.hash, outcome: .tooManyRequests,
            attempt: Int64(refused)
        ).by("limit/\(limit.rawValue)")
    }
}

/// Counts refusals, so that a flood becomes one record for each limit, subject and wait.
struct HitTally: Sendable {
    /// The largest number of waits that are counted separately. Above it, a limit's subjects are
    /// counted together, without a hash. Attack: many subjects fill the memory.
    static let hitsMax = 10_000
    /// How often a record is written if only an operator can end the wait.
    private static let endless = Duration.seconds(24 * 3_600)

    private var hits: [LimitKey: LimitHit] = [:]
    private var changed: Set<LimitKey> = []
    /// Waits that are over and could not be written.
    private var unwritten: [LimitHit] = []

    /// The number of waits that are counted now.
    var count: Int { hits.count }

    /// Continues a wait of a process that has ended.
    mutating func restore(_ hit: LimitHit) { hits[hit.key] = hit }

    /// Counts a refusal.
    /// - Returns: whether it is the first of its wait.
    mutating func record(
        _ limit: LimitName, _ key: LimitKey, _ verdict: LimitVerdict, at now: Timestamp
    ) -> Bool {
        let isKnown = hits[key] != nil
        let key = isKnown || hits.count < Self.hitsMax ? key : LimitKey(everybodyUnder: limit)
        changed.insert(key)
        if hits[key] != nil {
            hits[key]?.refused += 1
            return false
        }
        hits[key] = LimitHit(
            key: key, limit: limit, since: now, until: verdict.retryAt ?? now + Self.endless,
            refused: 1, attempt: verdict.attempt)
        return true
    }

    /// Returns what must be written now: the waits that are over, which are then removed here, and
    /// those that have changed.
    mutating func take(at now: Timestamp) -> (over: [LimitHit], changed: [LimitHit]) {
        let over = unwritten + hits.values.filter { $0.until <= now }
        unwritten = []
        for hit in over where hits[hit.key] == hit { hits[hit.key] = nil }
        let rest = changed.compactMap { hits[$0] }
        changed = []
        return (over, rest)
    }

    /// Takes back waits that could not be written.
    mutating func giveBack(_ over: [LimitHit], _ rest: [LimitHit]) {
        unwritten = Array((over + unwritten).prefix(Self.hitsMax))
        changed.formUnion(rest.map(\.key))
    }
}

extension LimitKey {
    /// The key for all subjects of a limit.
    init(everybodyUnder limit: LimitName) {
        self.init(limit: limit.number, high: 0, low: 0)
    }

    /// Whether it is the key for all subjects of its limit.
    var isEverybody: Bool { high == 0 && low == 0 }
}

/// The audit kind of a limit that was reached (A-01, D0), by the limit and the number of refused
/// attempts until the wait was over:
///
///     limit                                refused           event
///     phone-code-request, attempt 1 or 2   any               limit.reached
///         attempt 3                        any               limit.repeated
///         attempt 4 or later               any               limit.severe
///     phone-code-guess, each variant,
///     mailed-code-guess, totp-guess        any               limit.brute-force
///     the other limits on codes to phones  any               limit.pumping
///     failed sign-ins and second proofs,
///     guesses at codes by address          fewer than 20     limit.reached
///                                          20 to 99          limit.repeated
///                                          100 or more       limit.brute-force
///     all others                           fewer than 20     limit.reached
///                                          20 to 99          limit.repeated
///                                          100 or more       limit.severe
extension LimitName {
    private static let repeatedFrom = 20
    private static let severeFrom = 100

    func auditKind(refused: Int, attempt: Int) -> AuditKind {
        switch self {
        case .phoneCodeRequest:
            attempt < 3 ? .limitReached : attempt == 3 ? .limitRepeated : .limitSevere
        case .phoneCodeGuess, .phoneCodeGuessByKnownDevice, .phoneCodeFirstGuess,
            .mailedCodeGuess, .totpGuess, .totpGuessByKnownDevice:
            .bruteForce
        case .phoneCodeByAddress, .phoneCodeByBlock, .phoneCodeByCountry: .pumping
        case .failedSignInByDevice, .failedSignInByAddress, .failedSignInBySite,
            .failedSignInByAccount, .failedSignInInARow, .failedSignInByKnownDevice,
            .failedPasskeyByAddress,
            .phoneCodeGuessByAddress, .failedProviderByDevice, .failedProviderByAddress,
            .failedProviderByAccount, .failedProviderByKnownDevice, .secondProofByAddress:
            Self.byCount(refused, severe: .bruteForce)
        default: Self.byCount(refused, severe: .limitSevere)
        }
    }

    /// Whether operators should be warned when it starts and not only when it is over.
    var isAlarming: Bool { auditKind(refused: 1, attempt: 1) != .limitReached }

    private static func byCount(_ refused: Int, severe: AuditKind) -> AuditKind {
        refused < repeatedFrom ? .limitReached : refused < severeFrom ? .limitRepeated : severe
    }
}
