import Messages
import ServiceRuntime

/// A follower's position in a revocation log.
struct RevocationCursor: Hashable, Sendable {
    /// The follower knows all revocations up to this position.
    var position: UInt64
    /// The epoch of the position; 0 if unknown.
    var epoch: UInt64
    /// The log's generation of the position; nil before the first page.
    var generation: UInt64?
    /// The key set hash that the follower received last.
    var keySet: [UInt8]?
}

/// The revocations that still matter, in order, and what a follower is sent next. Pure:
///
///     a follower asks from p           it receives
///     p before the retained entries    all retained entries, as a reset
///     p within the retained entries    the entries after p
///     p after the last                 all retained entries, as a reset: another store's position
///     p of another epoch               all retained entries, as a reset: a backup was restored
///     any, but the log was replaced    all retained entries, as a reset
///     the log has no update yet        nothing
///
/// A revocation is dropped when no access token issued before it is valid any more.
struct RevocationPages: Sendable {
    /// Revocations in one item: some 40 bytes each, far below the frame limit of 128 KiB.
    static let endsInItemMax = 1_000

    /// The entries from `first` on are retained; those before are dropped but not yet removed.
    private var ends: [Revocation] = []
    private var first = 0
    /// The log is complete from here on: the position of the last dropped entry.
    private var base: UInt64 = 0
    /// The position of the last known revocation.
    private(set) var last: UInt64 = 0
    private var generation: UInt64 = 0
    private var completeAt: Timestamp?
    private var keySet: [UInt8] = []
    private var retention: Duration = .zero
    private var epoch: UInt64 = 0

    /// Number of retained entries.
    var count: Int { ends.count - first }
    /// Number of entries for which memory is allocated.
    var capacity: Int { ends.capacity }

    /// Applies an update. Known revocations are skipped.
    mutating func take(_ update: RevocationUpdate) {
        if update.isReset || update.epoch != epoch {
            begin(before: update.ends.first?.position, or: update.position)
        }
        for end in update.ends where end.position > last {
            ends.append(end)
            last = end.position
        }
        last = max(last, update.position)
        (completeAt, keySet, retention) = (update.completeAt, update.keySet, update.retention)
        epoch = update.epoch
        if let completeAt { forget(upTo: completeAt - retention) }
    }

    private mutating func begin(before position: UInt64?, or end: UInt64) {
        (ends, first) = ([], 0)
        base = position.map { $0 == 0 ? 0 : $0 - 1 } ?? end
        last = base
        generation &+= 1
    }

    private mutating func forget(upTo moment: Timestamp) {
        while first < ends.count, ends[first].at <= moment {
            base = ends[first].position
            first += 1
        }
        guard first > ends.count / 2 else { return }
        // A copy: removing elements in place would keep the memory that many revocations needed.
        ends = Array(ends[first...])
        first = 0
    }

    /// The next item for a follower; advances its cursor.
    func page(_ cursor: inout RevocationCursor) -> SessionV1.WatchRevocationsItem? {
        guard let completeAt else { return nil }
        let isKnown =
            (base...last).contains(cursor.position)
            && (cursor.generation ?? generation) == generation
            // Position 0 means that the follower knows nothing, so it cannot be wrong in any epoch.
            && (cursor.epoch == epoch || cursor.position == 0)
        let start = isKnown ? index(after: cursor.position) : first
        let page = ends[start...].prefix(Self.endsInItemMax)
        let isLast = page.endIndex == ends.endIndex
        let position = isLast ? last : page.last?.position ?? last
        let keysChanged = cursor.keySet.map { $0 != keySet } ?? false
        cursor = RevocationCursor(
            position: position, epoch: epoch, generation: generation, keySet: keySet)
        return SessionV1.WatchRevocationsItem(
            position: position, completeAtMs: isLast ? completeAt.milliseconds : 0,
            reset: !isKnown, ends: page.map(\.message), keysChanged: keysChanged,
            keySet: keySet, keptForMs: retention.milliseconds, epoch: epoch)
    }

    /// The index of the first entry after `position`.
    private func index(after position: UInt64) -> Int {
        var (low, high) = (first, ends.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ends[middle].position > position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
