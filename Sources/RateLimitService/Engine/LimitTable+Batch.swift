import Contracts

/// Batches, and requests for which there may be no capacity. Each step looks its slot up again,
/// since a sweep or the charge before it may have moved it. The caller holds the locks.
extension LimitTable {
    func applyLocked(
        _ operation: BatchOperation, _ batch: [LimitRequest], at now: Int64
    ) -> LimitVerdict {
        switch operation {
        case .peek: break
        case .consume: return consume(batch, at: now)
        case .success: for request in batch { succeed(request, at: now) }
        case .refund(let charged):
            for request in batch { refund(request, of: Self.moment(charged), at: now) }
        case .reset: for request in batch { forget(request) }
        }
        return survey(batch, at: now).verdict
    }

    private func consume(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        var survey = survey(batch, at: now)
        guard !survey.verdict.isLimited else {
            let request = batch[survey.verdict.deciding]
            let key = counted(request, isShared: survey.verdict.isShared(survey.verdict.deciding))
                .key
            let shard = shards[key]
            shard.pointee.markReported(shard.pointee.find(key))
            return survey.verdict
        }
        for (requestIndex, request) in batch.enumerated()
        where !survey.verdict.isSpared(requestIndex) {
            let counted = counted(request, isShared: survey.verdict.isShared(requestIndex))
            let shard = shards[counted.key]
            let found = shard.pointee.find(counted.key)
            if !shard.pointee.charge(
                counted.rule, of: counted.amount, counted.key, at: found, now)
            {
                survey.refuse(requestIndex)
            }
        }
        return survey.verdict
    }

    private func survey(_ batch: [LimitRequest], at now: Int64) -> BatchSurvey {
        var survey = BatchSurvey()
        for (requestIndex, request) in batch.enumerated() {
            let isShared = !hasPlace(request.key, at: now)
            let counted = counted(request, isShared: isShared)
            let shard = shards[counted.key]
            let found = shard.pointee.find(counted.key)
            survey.add(
                shard.pointee.answer(counted.rule, of: counted.amount, at: found, now), of: request,
                at: requestIndex, isShared: isShared, isReported: shard.pointee.isReported(found))
        }
        return survey
    }

    private func succeed(_ request: LimitRequest, at now: Int64) {
        let shard = shards[request.key]
        shard.pointee.succeed(request.rule, at: shard.pointee.find(request.key), now)
    }

    /// Refunds a charge only where it was made. Charges that strangers made to the shared bucket in
    /// the same millisecond are not refunded for it.
    private func refund(_ request: LimitRequest, of moment: Int64, at now: Int64) {
        let counted = counted(request, isShared: request.isShared)
        let shard = shards[counted.key]
        let found = shard.pointee.find(counted.key)
        guard shard.pointee.mayHold(counted.rule, moment, counted.amount, at: found, now) else {
            return
        }
        shard.pointee.refund(counted.rule, of: moment, counted.amount, at: found, now)
    }

    private func forget(_ request: LimitRequest) {
        let shard = shards[request.key]
        shard.pointee.forget(at: shard.pointee.find(request.key))
    }

    /// Whether the subject has, or can get, a state of its own.
    private func hasPlace(_ key: LimitKey, at now: Int64) -> Bool {
        let shard = shards[key]
        if shard.pointee.hasCapacity(for: key.limit) || shard.pointee.find(key).exists {
            return true
        }
        shards.sweepIfDue(shard, at: now)
        return shard.pointee.hasCapacity(for: key.limit)
    }

    /// What is charged for a request: its own key, or the shared bucket of its limit.
    private func counted(_ request: LimitRequest, isShared: Bool) -> LimitRequest {
        guard isShared else { return request }
        var shared = LimitRequest(
            key: shards.sharedBucketKey(of: request.key), rule: request.rule.shared,
            isShadow: request.isShadow)
        shared.amount = request.amount
        return shared
    }
}

/// The shards of a batch, each once and in ascending order. Two batches that share shards lock
/// them in the same order, so they cannot deadlock.
struct ShardLocks {
    private(set) var count = 0
    private var shardIndices = InlineArray<20, Int>(repeating: 0)

    /// Adds a shard, unless it was added before.
    mutating func add(_ shardIndex: Int) {
        var index = count
        while index > 0, shardIndices[index - 1] >= shardIndex {
            if shardIndices[index - 1] == shardIndex { return }
            index -= 1
        }
        var last = count
        while last > index {
            shardIndices[last] = shardIndices[last - 1]
            last -= 1
        }
        shardIndices[index] = shardIndex
        count += 1
    }

    subscript(index: Int) -> Int { shardIndices[index] }
}
