/// What was read of one trail, the newest first.
struct ActivityTrail: Sendable {
    private let activities: [Activity]
    /// The position before which older ones are; nil if there are none.
    private let olderBefore: Int64?
    private var taken = 0

    init(_ activities: [Activity], olderBefore: Int64?) {
        self.activities = activities
        self.olderBefore = olderBefore
    }

    /// The newest that is not on the page yet.
    fileprivate var head: Activity? { taken < activities.count ? activities[taken] : nil }

    /// Older ones exist, and were not read.
    fileprivate var isCut: Bool { head == nil && olderBefore != nil }

    /// The position before which the next page goes on. Positions begin at 1, so there is nothing
    /// before that.
    fileprivate var next: Int64 {
        guard let head else { return olderBefore ?? 1 }
        return min(head.position, .max - 1) + 1
    }

    fileprivate mutating func take() { taken += 1 }
}

/// Merges what was read of several trails into one page, the newest first. Pure.
///
///     each trail               the page goes on with
///     has more that was read   the newest of all, of those of one time the first trail's
///     is at its end            the other trails
///     has more, not read       nothing: it may be newer than all that the others have
///
/// Within a trail the order is that of positions: clocks are stepped.
struct ActivityMerge: Sendable {
    /// The page.
    private(set) var activities: [Activity] = []
    /// For each trail the position before which the next page goes on; nil after the last page.
    let next: [Int64]?

    init(_ read: [ActivityTrail], limit: Int) {
        var trails = read
        while activities.count < limit, !trails.contains(where: \.isCut) {
            let heads = trails.indices.compactMap { index in
                trails[index].head.map { (index: index, activity: $0) }
            }
            guard let newest = heads.max(by: { $0.activity.at < $1.activity.at }) else { break }
            activities.append(newest.activity)
            trails[newest.index].take()
        }
        let hasMore = trails.contains { $0.head != nil || $0.isCut }
        next = hasMore ? trails.map(\.next) : nil
    }
}
