/// Which lanes a round of claims looks at, and how far (N-06).
///
/// Strict: security before notices before bulk. But of 16 messages claimed two are notices and one
/// is bulk even while security mail waits, so that nothing starves: under a flood of codes a
/// welcome mail is late, and comes.
struct LaneShares: Hashable, Sendable {
    /// One of so many claims is kept for the lane.
    private static let claimsPerNotice = 8
    private static let claimsPerBulk = 16

    /// Claims that have not yet given a lane its share.
    private var sinceNotice = 0
    private var sinceBulk = 0

    /// What the next round may claim.
    /// - Parameters:
    ///   - total: messages in all.
    ///   - patient: of these, how many may be notices and bulk.
    mutating func next(total: Int, patient: Int) -> ClaimRoom {
        sinceNotice += total
        sinceBulk += total
        defer {
            sinceNotice %= Self.claimsPerNotice
            sinceBulk %= Self.claimsPerBulk
        }
        return ClaimRoom(
            total: total, patient: min(total, patient), notices: sinceNotice / Self.claimsPerNotice,
            bulk: sinceBulk / Self.claimsPerBulk)
    }
}

/// How many messages one round may claim.
struct ClaimRoom: Hashable, Sendable {
    /// In all.
    let total: Int
    /// Of these, notices and bulk.
    let patient: Int
    /// Notices that come before security mail.
    let notices: Int
    /// Bulk that comes before everything.
    let bulk: Int

    /// How many of `lane` to ask for.
    /// - Parameters:
    ///   - isShare: for the lane's share, which comes first; otherwise for what is left.
    ///   - taken: claimed in this round before, and how many of these were notices and bulk.
    func limit(_ lane: Lane, isShare: Bool, taken: (all: Int, patient: Int)) -> Int {
        let left = total - taken.all
        let patientLeft = min(left, patient - taken.patient)
        return switch (lane, isShare) {
        case (.security, false): max(0, left)
        case (.notice, true): max(0, min(notices, patientLeft))
        case (.bulk, true): max(0, min(bulk, patientLeft))
        case (.notice, false), (.bulk, false): max(0, patientLeft)
        case (.security, true): 0
        }
    }

    /// The order in which lanes are asked: the shares, then strictly.
    static let walk: [(lane: Lane, isShare: Bool)] = [
        (.bulk, true), (.notice, true), (.security, false), (.notice, false), (.bulk, false),
    ]
}
