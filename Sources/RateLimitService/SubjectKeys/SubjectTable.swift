import Contracts
import Cryptography
import ServiceRuntime

/// A table by subjects: their keys under the current secrets, and decisions that stay correct if
/// another secret becomes current meanwhile.
struct SubjectTable: Sendable {
    let table: LimitTable
    private let keys: SubjectKeys
    private let moved = MovedStates()

    init(_ table: LimitTable, _ keys: SubjectKeys) {
        self.table = table
        self.keys = keys
        keys.attach(table)
    }

    /// The current and former secrets.
    var ring: SubjectKeyRing { keys.ring }

    /// The key of a subject under the current secret of `ring`. Moves its state there if it is
    /// under a former one.
    func key(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, _ ring: SubjectKeyRing,
        at now: Timestamp
    ) -> LimitKey {
        let key = ring.limitKey(limit, subject)
        guard !ring.formers.isEmpty else { return key }
        let formers = ring.formerKeys(limit, subject, rule, at: now)
        if !formers.isEmpty {
            table.move(
                formers, to: key, under: ring.number, at: ring.moveMoment(at: now), moved)
        }
        return key
    }

    /// A request about a subject, not in shadow mode, under the current secret of `ring`.
    func request(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, _ ring: SubjectKeyRing,
        at now: Timestamp
    ) -> LimitRequest {
        LimitRequest(key: key(limit, subject, rule, ring, at: now), rule: rule, isShadow: false)
    }

    /// Applies an operation to the batch that `requests` makes with the current secrets, and
    /// decides on it. Starts over if another one became current in between, which is rare.
    @discardableResult
    func apply(
        _ operation: BatchOperation, at now: Timestamp,
        _ requests: (SubjectKeyRing) -> [LimitRequest]
    ) -> LimitVerdict {
        while true {
            let ring = ring
            let batch = requests(ring)
            guard !batch.isEmpty else { return LimitVerdict() }
            let verdict = table.apply(operation, batch, at: now, under: ring.number)
            if !verdict.isStale { return verdict }
        }
    }

    /// Writes what no call waits for.
    /// - Throws: as `MovedStates.write`.
    func write() async throws { try await moved.write(table) }

    /// Waits until all decisions are on disk and no copy under a former key remains there.
    /// - Throws: as `MovedStates.write`.
    func finish() async throws { try await moved.finish(table) }
}

/// The secrets that subjects are hashed under, and which of them is used when. An attacker
/// who has stolen the files and a secret can test which subjects were counted. So an operator can
/// rotate the secret, which neither resets nor charges a subject:
///
///     secret      made by    new subjects   looked up   stored
///     current     rotation   use it         first       until the next rotation
///     former      –          do not         next        until no state under it can count
///     deleted     –          do not         never       no: its row is deleted
///
///     a subject's state is under            a call finds          and then
///     the current secret, or none           it, or nothing        proceeds as without a rotation
///     a former secret                       the former one        moves it to the current one
///     both (crash during the move)          the current one       deletes the former one
///
/// Only hashes are stored, so a state can be moved only when a call names its subject again. A
/// state whose subject is not named for 90 days no longer counts, except for lockouts and for
/// escalating delays on high steps. A former secret stays as long as there is such a state that
/// was last charged before the secret was replaced (`isSpent`). A permanent lockout never ends.
/// Once moved, it counts as charged at the move, so it no longer needs its former secret. One whose
/// subject is never named keeps that secret until the operator deletes it.
///
/// All calls must agree on the secret of a subject, or it would be counted twice. The table knows
/// the current secret's number, and with the shards locked it rejects a batch with keys of another
/// one (`LimitVerdict.isStale`). Such a call starts over.
///
/// A class, so that a call which reads it copies only a reference.
final class SubjectKeyRing: Sendable {
    /// The largest number of secrets at once: enough for several rotations in a row. Each former
    /// one costs each look-up a further hash.
    static let secretsMax = 4
    /// No window, wait or mark is longer, and no bucket takes longer to drain.
    static let retentionMin = LimitRule.markMax
    /// How long charges may still go under a secret after its end was written: until the tables use
    /// the next one.
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

    /// The number that tables compare.
    var number: Int64 { current.number }

    /// The key of a subject for new charges.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        current.limitKey(limit, subject)
    }

    /// The keys under which a subject's state may still be: those of the secrets that were replaced
    /// so recently that a state of this rule still counts.
    func formerKeys(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, at now: Timestamp
    ) -> [LimitKey] {
        formers.lazy.filter { Self.mayHold($0, rule, at: now) }.map { $0.limitKey(limit, subject) }
    }

    /// The time that a permanent lockout is given as its latest charge when it is moved. It is
    /// later than any time for which a former secret may be needed.
    func moveMoment(at now: Timestamp) -> Timestamp {
        max(now, current.since + Self.changeover + .milliseconds(1))
    }

    /// When the oldest secret became current. A state that counts from before it cannot be found,
    /// or has been moved.
    var oldest: Timestamp { (formers.last ?? current).since }

    /// Whether a former secret is no longer needed by any state.
    /// - Parameter isCharged: whether a state that still counts was last charged before the given
    ///   time.
    static func isSpent(
        until: Timestamp, at now: Timestamp, isCharged: (_ before: Timestamp) -> Bool
    ) -> Bool {
        now - until >= retentionMin + changeover && !isCharged(until + changeover)
    }

    private static func mayHold(
        _ former: SubjectHash, _ rule: CountingRule, at now: Timestamp
    ) -> Bool {
        guard let until = former.until, let life = rule.lifeMax else { return true }
        return now - until < .milliseconds(life) + changeover
    }
}

extension CountingRule {
    /// How long a state counts at most after its last charge, in milliseconds; nil if that depends
    /// on the state.
    fileprivate var lifeMax: Int64? {
        switch self {
        case .slidingWindow(let rule): rule.window
        // A full bucket drains in this many steps, which are in microseconds.
        case .gcra(let rule): rule.burst * rule.step / 1_000 + 1
        case .escalatingDelay, .lockout: nil
        }
    }
}

/// The keyed hash by which a limit's subject is stored, with one secret.
struct SubjectHash: Sendable {
    /// The secret's number, from 0.
    let number: Int64
    /// When it became the current one.
    let since: Timestamp
    /// When another one replaced it; nil for the current one.
    let until: Timestamp?
    private let key: KeyedHash

    init(_ key: KeyedHash, number: Int64, since: Timestamp, until: Timestamp?) {
        self.key = key
        self.number = number
        self.since = since
        self.until = until
    }

    /// The key of `limit` and `subject`. The limit's name is hashed too, so that two limits on one
    /// address cannot be linked.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        var canonical = limit.definition.subject.canonical(subject)
        var name = limit.rawValue
        return canonical.withUTF8 { subject in
            name.withUTF8 {
                limitKey(
                    limit.number, UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(subject))
            }
        }
    }

    /// The hash of `name`, a zero byte and `subject`. The message is built on the stack, because
    /// every call makes one.
    private func limitKey(
        _ number: UInt16, _ name: UnsafeRawBufferPointer, _ subject: UnsafeRawBufferPointer
    ) -> LimitKey {
        let count = name.count + 1 + subject.count
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { message in
            message.copyBytes(from: name)
            message[name.count] = 0
            UnsafeMutableRawBufferPointer(rebasing: message[(name.count + 1)...])
                .copyBytes(from: subject)
            let (high, low) = key.lookUpNumbers(of: UnsafeRawBufferPointer(message))
            return LimitKey(limit: number, high: high, low: low)
        }
    }
}
