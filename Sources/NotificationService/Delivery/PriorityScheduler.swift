import Contracts

/// Decides which lanes a round claims from, and how many messages of each (N-06).
///
/// The order is strict: what the reader requested, then warnings, notices, bulk. But of every 16
/// messages claimed four are warnings, two are notices and one is bulk, even while codes and links
/// are queued. So no lane starves: under a flood of codes a welcome mail is late, but is sent.
struct PriorityScheduler: Hashable, Sendable {
    /// One of this many claims is reserved for the lane.
    private static let claimsPerWarning = 4
    private static let claimsPerNotice = 8
    private static let claimsPerBulk = 16

    /// Claims since the lane last got its share.
    private var sinceWarning = 0
    private var sinceNotice = 0
    private var sinceBulk = 0

    /// The budget of the next round.
    /// - Parameters:
    ///   - total: messages in all.
    ///   - unrequested: how many of them may be other than what the reader requested.
    ///   - lowPriority: how many of them may be notices and bulk.
    mutating func next(total: Int, unrequested: Int, lowPriority: Int) -> ClaimBudget {
        sinceWarning += total
        sinceNotice += total
        sinceBulk += total
        defer {
            sinceWarning %= Self.claimsPerWarning
            sinceNotice %= Self.claimsPerNotice
            sinceBulk %= Self.claimsPerBulk
        }
        return ClaimBudget(
            total: total, unrequested: min(total, unrequested),
            lowPriority: min(total, lowPriority),
            warnings: sinceWarning / Self.claimsPerWarning,
            notices: sinceNotice / Self.claimsPerNotice, bulk: sinceBulk / Self.claimsPerBulk)
    }
}

/// How many messages one round may claim.
struct ClaimBudget: Hashable, Sendable {
    /// Messages by lane: those that a round has claimed so far, or running attempts.
    struct LaneCounts: Hashable, Sendable {
        /// In all.
        var all = 0
        /// Those that the reader did not request.
        var unrequested = 0
        /// Notices and bulk.
        var lowPriority = 0

        /// Counts messages of a lane.
        mutating func add(_ count: Int, _ lane: Lane) {
            all += count
            if lane != .requested { unrequested += count }
            if lane.isLowPriority { lowPriority += count }
        }
    }

    /// In all.
    let total: Int
    /// Those that the reader did not request.
    let unrequested: Int
    /// Notices and bulk.
    let lowPriority: Int
    /// Warnings that are claimed before what the reader requested.
    let warnings: Int
    /// Notices that are claimed before both.
    let notices: Int
    /// Bulk messages that are claimed before everything else.
    let bulk: Int

    /// How many messages of `lane` to claim.
    /// - Parameters:
    ///   - isShare: for the lane's reserved share, which comes first; otherwise for the rest.
    ///   - taken: what this round has claimed so far.
    func limit(_ lane: Lane, isShare: Bool, taken: LaneCounts) -> Int {
        let left = total - taken.all
        let unrequestedLeft = min(left, unrequested - taken.unrequested)
        let lowPriorityLeft = min(unrequestedLeft, lowPriority - taken.lowPriority)
        let limit =
            switch (lane, isShare) {
            case (.requested, true): 0
            case (.requested, false): left
            case (.security, true): min(warnings, unrequestedLeft)
            case (.security, false): unrequestedLeft
            case (.notice, true): min(notices, lowPriorityLeft)
            case (.bulk, true): min(bulk, lowPriorityLeft)
            case (.notice, false), (.bulk, false): lowPriorityLeft
            }
        return max(0, limit)
    }

    /// The order in which lanes are claimed: first the reserved shares, then by priority.
    static let claimOrder: [(lane: Lane, isShare: Bool)] = [
        (.bulk, true), (.notice, true), (.security, true), (.requested, false),
        (.security, false), (.notice, false), (.bulk, false),
    ]
}
