import Contracts
import ServiceRuntime

/// States under former secrets (`SubjectKeyRing`): they are found and charged until they end, and
/// none begins there.
extension LimitTable {
    /// Whether there is a state under a former secret's key that counts. One that has ended is
    /// dropped. Otherwise a slower call with an earlier time could charge it, after this one has
    /// found nothing and begun another state.
    func counts(_ key: LimitKey, by rule: CountingRule, at now: Timestamp) -> Bool {
        let moment = Self.moment(now)
        var counts = false
        shards.locked(shards.shardIndex(of: key)) { shard in
            counts = isCounting(key, in: shard, by: rule, at: moment)
            if !counts { shard.pointee.forget(at: shard.pointee.find(key)) }
        }
        return counts
    }

    /// Whether the state that was found for a request has ended since. Its shard is locked.
    func hasEnded(_ request: LimitRequest, at now: Int64) -> Bool {
        request.isUnderFormer
            && !isCounting(request.key, in: shards[request.key], by: request.rule, at: now)
    }

    /// Drops states that count until a reset and began before a time. They are under a secret that
    /// is deleted: no call finds them, and they would use capacity for good.
    func dropEndless(begunBefore moment: Timestamp) {
        let moment = Self.moment(moment)
        var rules = RuleCache(shards.rules)
        shards.forEachLocked { shard in
            var lost: [LimitKey] = []
            shard.pointee.forEach { key, state in
                guard let rule = rules[key.limit], rule.kind == state.kind,
                    rule.end(state) == .max, state.moments[0] < moment
                else { return }
                lost.append(key)
            }
            for key in lost { shard.pointee.forget(at: shard.pointee.find(key)) }
        }
    }

    private func isCounting(
        _ key: LimitKey, in shard: UnsafeMutablePointer<Shard>, by rule: CountingRule,
        at now: Int64
    ) -> Bool {
        let found = shard.pointee.find(key)
        guard found.exists else { return false }
        let state = shard.pointee.state(in: shard.pointee.slots[found.slotIndex])
        return !shards.isExpired(key, state, by: rule, at: now)
    }
}
