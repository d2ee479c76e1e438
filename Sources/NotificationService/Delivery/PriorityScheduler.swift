/// Which lanes a round of claims looks at, and how far (N-06).
///
/// Strict: what the reader asked for before warnings before notices before bulk. But of 16 messages
/// claimed four are warnings, two are notices and one is bulk even while codes and links wait, so
/// that nothing starves: under a flood of codes a welcome mail is late, and comes.
struct PriorityScheduler: Hashable, Sendable {
    /// One of so many claims is kept for the lane.
    private static let claimsPerWarning = 4
    private static let claimsPerNotice = 8
    private static let claimsPerBulk = 16

    /// Claims that have not yet given a lane its share.
    private var sinceWarning = 0
    private var sinceNotice = 0
    private var sinceBulk = 0

    /// What the next round may claim.
    /// - Parameters:
    ///   - total: messages in all.
    ///   - unrequested: of these, how many may be anything but what the reader asked for.
    ///   - patient: of these, how many may be notices and bulk.
    mutating func next(total: Int, unrequested: Int, patient: Int) -> ClaimBudget {
        sinceWarning += total
        sinceNotice += total
        sinceBulk += total
        defer {
            sinceWarning %= Self.claimsPerWarning
            sinceNotice %= Self.claimsPerNotice
            sinceBulk %= Self.claimsPerBulk
        }
        return ClaimBudget(
            total: total, unrequested: min(total, unrequested), patient: min(total, patient),
            warnings: sinceWarning / Self.claimsPerWarning,
            notices: sinceNotice / Self.claimsPerNotice, bulk: sinceBulk / Self.claimsPerBulk)
    }
}

/// How many messages one round may claim.
struct ClaimBudget: Hashable, Sendable {
    /// Messages that a round has claimed.
    struct Taken: Hashable, Sendable {
        /// In all.
        var all = 0
        /// Of these, all but what the reader asked for.
        var unrequested = 0
        /// Of these, notices and bulk.
        var patient = 0

        /// Counts messages of a lane.
        mutating func add(_ count: Int, _ lane: Lane) {
            all += count
            if lane != .requested { unrequested += count }
            if lane.isPatient { patient += count }
        }
    }

    /// In all.
    let total: Int
    /// Of these, all but what the reader asked for.
    let unrequested: Int
    /// Of these, notices and bulk.
    let patient: Int
    /// Warnings that come before what the reader asked for.
    let warnings: Int
    /// Notices that come before both.
    let notices: Int
    /// Bulk that comes before everything.
    let bulk: Int

    /// How many of `lane` to ask for.
    /// - Parameters:
    ///   - isShare: for the lane's share, which comes first; otherwise for what is left.
    ///   - taken: claimed in this round before.
    func limit(_ lane: Lane, isShare: Bool, taken: Taken) -> Int {
        let left = total - taken.all
        let unrequestedLeft = min(left, unrequested - taken.unrequested)
        let patientLeft = min(unrequestedLeft, patient - taken.patient)
        let limit =
            switch (lane, isShare) {
            case (.requested, true): 0
            case (.requested, false): left
            case (.security, true): min(warnings, unrequestedLeft)
            case (.security, false): unrequestedLeft
            case (.notice, true): min(notices, patientLeft)
            case (.bulk, true): min(bulk, patientLeft)
            case (.notice, false), (.bulk, false): patientLeft
            }
        return max(0, limit)
    }

    /// The order in which lanes are asked: the shares, then strictly.
    static let walk: [(lane: Lane, isShare: Bool)] = [
        (.bulk, true), (.notice, true), (.security, true), (.requested, false),
        (.security, false), (.notice, false), (.bulk, false),
    ]
}
