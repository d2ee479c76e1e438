import Logging
package import ServiceRuntime
import Storage
import Synchronization

/// What is kept of all subjects, in memory and in its journal, and the decisions on it.
///
/// The states are spread over stripes by their subjects' hash. A batch locks its stripes in order,
/// decides, and unlocks: it is atomic, and nobody waits longer than others take to decide.
package final class LimitTable: Sendable {
    /// Requests that a batch can have.
    package static let batchMax = 16

    let stripes: LimitStripes
    /// The number of the secret that keys are made under now (`SubjectKeyRing`).
    let keyNumber = Atomic<Int64>(0)
    private let journal: Journal?

    /// A table that a restart forgets.
    /// - Parameter statesMax: subjects that have a state of their own; the others share pools.
    init(statesMax: Int, rules: @escaping LimitStripes.Rules) {
        stripes = LimitStripes(statesMax: statesMax, startedAt: 0, isJournaled: false, rules: rules)
        journal = nil
    }

    /// A table with what its journal holds.
    /// - Throws: `JournalError`, `StoreError`, `SQLError`.
    init(
        statesMax: Int, journal place: LimitJournalPlace, at now: Timestamp, logger: Logger,
        rules: @escaping LimitStripes.Rules
    ) throws {
        stripes = LimitStripes(
            statesMax: statesMax, startedAt: Self.moment(now), isJournaled: true, rules: rules)
        journal = try Journal(
            folder: place.folder, name: place.name, source: stripes, files: place.files,
            logBytes: place.logBytes, logger: logger)
    }

    /// How many subjects there are.
    package var count: Int {
        var sum = 0
        stripes.forEachLocked { sum += $0.pointee.count }
        return sum
    }

    /// Memory taken, in bytes.
    package var bytes: Int {
        var sum = 0
        stripes.forEachLocked { sum += $0.pointee.bytes }
        return sum
    }

    /// Decides on a batch as one; never waits.
    /// - Parameter number: the secret's that the batch's keys were made under. Where another one has
    ///   come into force since, nothing is decided (`isStale`).
    /// - Precondition: 1 to 16 requests, no key twice.
    package func decide(
        _ operation: LimitOperation, _ batch: [LimitRequest], at now: Timestamp,
        under number: Int64? = nil
    ) -> LimitVerdict {
        precondition((1...Self.batchMax).contains(batch.count), "callers check what comes in")
        var locks = StripeLocks()
        for request in batch { locks.add(stripes.place(of: request.key)) }
        for place in 0..<locks.count { stripes.lock(locks[place]) }
        defer { for place in 0..<locks.count { stripes.unlock(locks[place]) } }
        guard number.map(isCurrent) ?? true else { return LimitVerdict(isStale: true) }
        let moment = Self.moment(now)
        switch operation {
        case .peek: break
        case .consume: return consume(batch, at: moment)
        case .success: for request in batch { succeed(request, at: moment) }
        case .refund(let charged):
            for request in batch { refund(request, of: Self.moment(charged), at: moment) }
        case .reset: for request in batch { forget(request) }
        }
        return survey(batch, at: moment).verdict
    }

    /// Returns once what was decided on these, and on all others before, is on disk.
    /// - Throws: `rpc/unavailable` while the disk does not take it: the charge stands in memory, and
    ///   will be written.
    package func persisted(_ batch: [LimitRequest]) async throws { try await journal?.flush() }

    /// Drops what no longer counts.
    package func sweep(at now: Timestamp) {
        stripes.forEachLocked { stripes.sweep($0, at: Self.moment(now)) }
    }

    /// Writes what has changed and gives the files back; blocks its thread meanwhile.
    package func close() { journal?.close() }

    // MARK: Parts, with the locks held

    private func consume(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        var survey = survey(batch, at: now)
        guard !survey.verdict.isLimited else {
            let request = batch[survey.verdict.deciding]
            stripes[request.key].pointee.note(counted(request, isPooled: survey.isPooled).key)
            return survey.verdict
        }
        for (place, request) in batch.enumerated() where !survey.isSpared(place) {
            charge(request, at: now, &survey, place)
        }
        return survey.verdict
    }

    private func charge(
        _ request: LimitRequest, at now: Int64, _ survey: inout BatchSurvey, _ place: Int
    ) {
        let counted = counted(request, isPooled: survey.isPooled(place))
        var state = state(counted, at: now)
        counted.rule.charge(&state, at: now)
        state.isNoted = false
        if !stripes[counted.key].pointee.keep(state, of: counted.key) { survey.refuse(place) }
    }

    private func survey(_ batch: [LimitRequest], at now: Int64) -> BatchSurvey {
        var survey = BatchSurvey()
        for (place, request) in batch.enumerated() {
            let isPooled = !hasPlace(request.key, at: now)
            let counted = counted(request, isPooled: isPooled)
            let state = state(counted, at: now)
            survey.add(
                counted.rule.answer(state, at: now), of: request, at: place, isPooled: isPooled,
                isNoted: state.isNoted)
        }
        return survey
    }

    private func succeed(_ request: LimitRequest, at now: Int64) {
        guard var state = known(request, at: now) else { return }
        request.rule.succeed(&state)
        stripes[request.key].pointee.keep(state, of: request.key)
    }

    /// Takes a charge back from where it was made, and from nowhere else: what strangers were
    /// charged in the pool in the same millisecond is not given back for it.
    private func refund(_ request: LimitRequest, of moment: Int64, at now: Int64) {
        let counted = counted(request, isPooled: request.isPooled)
        guard var state = known(counted, at: now), counted.rule.mayHold(state, moment, at: now)
        else { return }
        counted.rule.refund(&state, of: moment, at: now)
        state.isNoted = false
        stripes[counted.key].pointee.keep(state, of: counted.key)
    }

    private func forget(_ request: LimitRequest) {
        let state = LimitState(request.rule.kind)
        stripes[request.key].pointee.keep(state, of: request.key)
    }

    /// Whether the subject has, or can have, a state of its own.
    private func hasPlace(_ key: LimitKey, at now: Int64) -> Bool {
        let stripe = stripes[key]
        if stripe.pointee.hasRoom || stripe.pointee.holds(key) { return true }
        stripes.sweepIfDue(stripe, at: now)
        return stripe.pointee.hasRoom
    }

    /// What is charged for a request: itself, or the pool of its limit in its stripe.
    private func counted(_ request: LimitRequest, isPooled: Bool) -> LimitRequest {
        guard isPooled else { return request }
        return LimitRequest(
            key: stripes.poolKey(of: request.key), rule: request.rule.pooled,
            isShadow: request.isShadow)
    }

    private func known(_ request: LimitRequest, at now: Int64) -> LimitState? {
        stripes[request.key].pointee.state(of: request.key)
            .map { request.rule.adopt($0, at: now) }
    }

    private func state(_ request: LimitRequest, at now: Int64) -> LimitState {
        known(request, at: now) ?? LimitState(request.rule.kind)
    }

    /// The moment as it is counted with: far from where sums overflow.
    private static func moment(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds, 0), 1 << 50)
    }
}
