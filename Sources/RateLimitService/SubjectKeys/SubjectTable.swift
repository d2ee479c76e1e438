import ServiceRuntime

/// A table by subjects: their keys under the secrets in force, and decisions that hold whatever
/// secret comes into force meanwhile.
struct SubjectTable: Sendable {
    let table: LimitTable
    private let keys: SubjectKeys
    private let moved = MovedStates()

    init(_ table: LimitTable, _ keys: SubjectKeys) {
        self.table = table
        self.keys = keys
        keys.attach(table)
    }

    /// The secrets in force now.
    var ring: SubjectKeyRing { keys.ring }

    /// The key of a subject under the current secret of `ring`; what is kept of it stands there.
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

    /// The same for a subject's bytes, which `LimitSubject` leaves as they are: nothing is copied
    /// while there is one secret.
    func key(
        _ limit: LimitName, folded subject: UnsafeRawBufferPointer, _ rule: CountingRule,
        _ ring: SubjectKeyRing, at now: Timestamp
    ) -> LimitKey {
        guard ring.formers.isEmpty else {
            return key(limit, String(decoding: subject, as: UTF8.self), rule, ring, at: now)
        }
        return ring.current.limitKey(limit, folded: subject)
    }

    /// Decides on the batch that `requests` makes of the secrets in force: anew where another one
    /// has come into force in between, which is seldom.
    @discardableResult
    func decide(
        _ operation: LimitOperation, at now: Timestamp,
        _ requests: (SubjectKeyRing) -> [LimitRequest]
    ) -> LimitVerdict {
        while true {
            let ring = ring
            let batch = requests(ring)
            guard !batch.isEmpty else { return LimitVerdict() }
            let verdict = table.decide(operation, batch, at: now, under: ring.number)
            if !verdict.isStale { return verdict }
        }
    }

    /// Writes what nobody waits for.
    func write() async throws { try await moved.write(table) }

    /// Waits until all that is decided is on disk, and no copy of it under a former key.
    func finish() async throws { try await moved.finish(table) }
}
