import Contracts
import Cryptography
import ServiceRuntime

/// A table by subjects: where the state of a subject is (`SubjectKeyRing`), and decisions that stay
/// correct if another secret becomes current meanwhile.
struct SubjectTable: Sendable {
    let table: LimitTable
    private let keys: SubjectKeys

    init(_ table: LimitTable, _ keys: SubjectKeys) {
        self.table = table
        self.keys = keys
        keys.attach(table)
    }

    /// The current and former secrets.
    var ring: SubjectKeyRing { keys.ring }

    /// A request about a subject, not in shadow mode, to where its state is. With one secret that
    /// is one hash and no look-up.
    func request(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, _ ring: SubjectKeyRing,
        at now: Timestamp
    ) -> LimitRequest {
        let current = LimitRequest(
            key: ring.limitKey(limit, subject), rule: rule, isShadow: false)
        guard !ring.formers.isEmpty, !table.holds(current.key) else { return current }
        for former in ring.formers where !former.isSpent(at: now) {
            let key = former.limitKey(limit, subject)
            guard table.counts(key, by: rule, at: now) else { continue }
            var found = current.about(key)
            found.isUnderFormer = true
            return found
        }
        return current
    }

    /// A request about a subject under each secret, the current one first: for what ends its
    /// states, wherever they are.
    func requestsEverywhere(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, _ ring: SubjectKeyRing
    ) -> [LimitRequest] {
        ([ring.current] + ring.formers).map {
            LimitRequest(key: $0.limitKey(limit, subject), rule: rule, isShadow: false)
        }
    }

    /// Applies an operation to the batch that `requests` makes with the current secrets, and
    /// decides on it. Starts over if another one became current in between, or if a state under a
    /// former one has ended, both of which are rare.
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

    /// Deletes a subject's states.
    /// - Returns: the keys under which they could be.
    @discardableResult
    func reset(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, at now: Timestamp
    ) -> [LimitKey] {
        var keys: [LimitKey] = []
        apply(.reset, at: now) { ring in
            let requests = requestsEverywhere(limit, subject, rule, ring)
            keys = requests.map(\.key)
            return requests
        }
        return keys
    }
}

/// The secrets that subjects are hashed under, and which of them is used when. An attacker
/// who has stolen the files and a secret can test which subjects were counted. So an operator can
/// rotate the secret. A rotation changes no state: only hashes are stored, and a hash does not name
/// the subject whose state would have to be moved.
///
///     secret    new states   looked up                stored
///     current   go here      first                    until the next rotation
///     former    none         next, the newest first   for 91 days after it was replaced
///     deleted   none         never                    no: its row is deleted
///
///     a call finds the subject's state under   and then
///     the current secret                       uses it, and looks no former one up
///     a former secret                          uses it there: it keeps key and slot until it ends
///     a former secret, and it has ended        drops it, and looks further
///     no secret                                begins a state under the current one
///     two (below)                              uses the first; a reset or a success ends both
///
/// After 91 days what still counts under a secret starts over:
///
///     state                                                      starts over
///     the mark of a known device: it counts for 90 days, and     no: it has ended, or is under a
///     is renewed by a reset and a charge, which begins a state   later secret
///     one that has had a pause as long as it counts              no: the same
///     one that was charged again and again without such a pause  yes
///     a permanent lock                                           yes
///
/// So a rotation gives an attacker each limit once more, 91 days later: five more guesses at a
/// password, or a hundred more wrong codes for a number that was locked for good, each of which
/// needs a message to its owner. A state in a shared bucket starts over at the rotation: under
/// another secret the subject shares another bucket.
///
/// All calls must agree where a subject's state is, or it would be counted twice. They do: under a
/// former secret states end, and none begins. So when a call has found none there, there is none
/// until the next rotation. The table, with the shards locked, decides no batch
/// (`LimitVerdict.isStale`)
///
/// - whose secret is not the current one. Such a call could begin a state under a former one.
/// - with a state under a former secret that has ended since it was found. A charge would begin
///   another one there.
///
/// Such a call looks again. Two states of one subject are only in a store of an earlier version,
/// which moved states, after a crash during a move. They are equal until the one under the current
/// secret changes, and the other one ends no later, unless charges are refunded. So it can only
/// count too much.
///
///     bound            number   who pays
///     former secrets   3        a call about a subject without a state under the current secret: a
///                               hash and a look-up for each. A rotation that would add one is
///                               refused until the oldest is deleted, or the operator drops it
///                               (`postern limits rotate-key --forget-oldest`)
///
/// A class, so that a call which reads it copies only a reference.
final class SubjectKeyRing: Sendable {
    /// The largest number of secrets at once: enough for several rotations in a row. A reset of
    /// three limits under all of them fits into a batch.
    static let secretsMax = 4
    /// How long a former secret is looked up: a day longer than a mark counts. No window is longer.
    static let formerLife = LimitRule.markMax + .seconds(24 * 3_600)
    /// How far before a rotation the time of a call may be that is decided after it.
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

    /// The key of a subject for new states.
    func limitKey(_ limit: LimitName, _ subject: String) -> LimitKey {
        current.limitKey(limit, subject)
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

    /// Whether it is no longer looked up.
    func isSpent(at now: Timestamp) -> Bool {
        until.map { now - $0 >= SubjectKeyRing.formerLife } ?? false
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
