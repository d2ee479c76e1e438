import Contracts
import Glibc
import ServiceRuntime

/// All shards with their locks. The shards hold the states.
///
/// `@unchecked Sendable`: all mutable state is in the shards, and each shard is read and written
/// only while its lock is held.
final class LimitShards: @unchecked Sendable {
    /// The current rule of a limit by its number; nil for a limit that this version does not know,
    /// whose states stay.
    typealias Rules = @Sendable (UInt16) -> CountingRule?

    /// Enough locks that two threads seldom need the same one; few enough to visit them all.
    private static let shardsMax = 256
    /// A shard for fewer subjects would fill up while others have capacity.
    private static let shardStatesMin = 4_096

    /// The number of shards, a power of two.
    let shardCount: Int
    private let shards: UnsafeMutablePointer<Shard>
    /// One for each shard, in memory of their own and never moved: locking reads nothing that the
    /// lock protects.
    private let mutexes: UnsafeMutablePointer<pthread_mutex_t>
    private let shift: UInt64
    /// By the limit's number: its class, and the number of hash bits that select its bucket.
    private let classes: UnsafeMutablePointer<UInt8>
    private let bucketBits: UnsafeMutablePointer<UInt8>
    let rules: Rules
    /// When the journal is read. States that no longer count at this time are not restored.
    let startedAt: Int64

    init(
        statesMax: Int, layout: TableLayout, startedAt: Int64, isJournaled: Bool,
        rules: @escaping Rules
    ) {
        var shardCount = 1
        while shardCount < Self.shardsMax, shardCount * 2 * Self.shardStatesMin <= statesMax {
            shardCount *= 2
        }
        self.shardCount = shardCount
        let bits = shardCount.trailingZeroBitCount
        shards = .allocate(capacity: shardCount)
        mutexes = .allocate(capacity: shardCount)
        classes = Self.table(layout.classes)
        bucketBits = Self.table(layout.bucketBits)
        var capacity = InlineArray<3, Int>(repeating: 0)
        for (classIndex, share) in layout.shares.enumerated() {
            capacity[classIndex] = statesMax / shardCount * share / 100
        }
        for shardIndex in 0..<shardCount {
            (shards + shardIndex).initialize(
                to: Shard(
                    capacity: capacity, buckets: layout.bucketsMax / shardCount, classes: classes,
                    sharedBits: bits, isJournaled: isJournaled))
            pthread_mutex_init(mutexes + shardIndex, nil)
        }
        shift = UInt64(64 - bits)
        self.startedAt = startedAt
        self.rules = rules
    }

    deinit {
        for shardIndex in 0..<shardCount {
            shards[shardIndex].release()
            pthread_mutex_destroy(mutexes + shardIndex)
        }
        shards.deinitialize(count: shardCount)
        shards.deallocate()
        mutexes.deallocate()
        classes.deallocate()
        bucketBits.deallocate()
    }

    /// A table of bytes by limit number, 0 where there is no limit.
    private static func table(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: TableLayout.limitsMax)
        table.initialize(repeating: 0, count: TableLayout.limitsMax)
        for (limit, byte) in bytes.enumerated() { table[limit] = byte }
        return table
    }

    /// The index of a key's shard.
    func shardIndex(of key: LimitKey) -> Int { Int(truncatingIfNeeded: key.high >> shift) }

    /// The key of the bucket that a subject shares if there is no capacity for its own state:
    /// with all subjects of its limit whose hash has the same first bits, at least with those of
    /// its shard. The bucket's own key maps to itself.
    func sharedBucketKey(of key: LimitKey) -> LimitKey {
        let bits = bucketBits[min(Int(key.limit), TableLayout.limitsMax - 1)]
        let low = UInt64.max >> max(UInt64(bits), 64 - shift)
        return LimitKey(limit: key.limit, high: key.high | low, low: .max)
    }

    /// Whether this is the key of a shared bucket.
    func isSharedBucket(_ key: LimitKey) -> Bool {
        key.low == .max && key == sharedBucketKey(of: key)
    }

    /// The key's shard, which the caller has locked.
    subscript(key: LimitKey) -> UnsafeMutablePointer<Shard> { shards + shardIndex(of: key) }

    /// The shard at that index, which the caller has locked.
    subscript(shardIndex: Int) -> UnsafeMutablePointer<Shard> { shards + shardIndex }

    /// Locks the shard at that index; blocks until it is free.
    func lock(_ shardIndex: Int) { pthread_mutex_lock(mutexes + shardIndex) }

    /// Unlocks the shard at that index.
    func unlock(_ shardIndex: Int) { pthread_mutex_unlock(mutexes + shardIndex) }

    /// Runs `body` with the shard at that index locked.
    func locked(_ shardIndex: Int, _ body: (UnsafeMutablePointer<Shard>) -> Void) {
        lock(shardIndex)
        defer { unlock(shardIndex) }
        body(shards + shardIndex)
    }

    /// Runs `body` with one shard after the other, locked.
    func forEachLocked(_ body: (UnsafeMutablePointer<Shard>) -> Void) {
        for shardIndex in 0..<shardCount { locked(shardIndex, body) }
    }
}

extension LimitShards {
    /// The shortest time between two sweeps of a full shard, in milliseconds. A sweep takes as
    /// long as thousands of decisions, and thousands of new subjects may arrive at once.
    private static let sweepPause: Int64 = 1_000

    /// Drops states that no longer count from a locked shard, unless that was done within
    /// `sweepPause`.
    func sweepIfDue(_ shard: UnsafeMutablePointer<Shard>, at now: Int64) {
        if abs(now - shard.pointee.sweptAt) >= Self.sweepPause { sweep(shard, at: now) }
    }

    /// Drops states that no longer count from a locked shard.
    func sweep(_ shard: UnsafeMutablePointer<Shard>, at now: Int64) {
        shard.pointee.sweptAt = now
        var rules = RuleCache(rules)
        shard.pointee.sweep { key, state in
            isExpired(key, state, by: rules[key.limit], at: now)
        }
    }

    /// Whether a state no longer counts by its limit's rule. A shared bucket has another rule than
    /// a subject. A state that another kind of rule counted is read as its limit's rule would read
    /// it, so that it can be dropped without being converted.
    func isExpired(
        _ key: LimitKey, _ state: borrowing some CountedState, by rule: CountingRule?,
        at now: Int64
    ) -> Bool {
        guard let rule else { return false }
        if isSharedBucket(key) { return Self.isExpired(state, by: rule.shared, at: now) }
        return Self.isExpired(state, by: rule, at: now)
    }

    private static func isExpired(
        _ state: borrowing some CountedState, by rule: CountingRule, at now: Int64
    ) -> Bool {
        if rule.kind == state.kind { return rule.end(state) <= now }
        return rule.end(rule.adopt(state, at: now)) <= now
    }
}

/// The rules of limits during one pass over many states. Each rule is read once, and not for each
/// state while other threads wait for the shard.
struct RuleCache {
    /// All limits have smaller numbers. Rules of larger numbers are read each time.
    private static let numbersMax = 128
    private let rules: LimitShards.Rules
    /// Nil for a rule that has not been read.
    private var known = [CountingRule??](repeating: nil, count: numbersMax)

    init(_ rules: @escaping LimitShards.Rules) {
        self.rules = rules
    }

    subscript(limit: UInt16) -> CountingRule? {
        mutating get {
            guard limit < Self.numbersMax else { return rules(limit) }
            if let rule = known[Int(limit)] { return rule }
            let rule = rules(limit)
            known[Int(limit)] = .some(rule)
            return rule
        }
    }
}
