import Contracts
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

    /// The same for a subject's bytes, which must be in the form of `LimitSubject.canonical`.
    /// Copies nothing while there is one secret.
    func key(
        _ limit: LimitName, canonical subject: UnsafeRawBufferPointer, _ rule: CountingRule,
        _ ring: SubjectKeyRing, at now: Timestamp
    ) -> LimitKey {
        guard ring.formers.isEmpty else {
            return key(limit, String(decoding: subject, as: UTF8.self), rule, ring, at: now)
        }
        return ring.current.limitKey(limit, canonical: subject)
    }

    /// A request about a subject, not in shadow mode, under the current secret of `ring`.
    func request(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, _ ring: SubjectKeyRing,
        at now: Timestamp
    ) -> LimitRequest {
        LimitRequest(key: key(limit, subject, rule, ring, at: now), rule: rule, isShadow: false)
    }

    /// Decides on the batch that `requests` makes with the current secrets. Starts over if another
    /// one became current in between, which is rare.
    @discardableResult
    func decide(
        _ operation: BatchOperation, at now: Timestamp,
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

    /// Writes what no call waits for.
    /// - Throws: as `MovedStates.write`.
    func write() async throws { try await moved.write(table) }

    /// Waits until all decisions are on disk and no copy under a former key remains there.
    /// - Throws: as `MovedStates.write`.
    func finish() async throws { try await moved.finish(table) }
}
