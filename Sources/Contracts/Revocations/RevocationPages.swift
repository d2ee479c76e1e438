import Messages
import ServiceRuntime

/// Where a follower stands in a log of ends.
struct RevocationCursor: Hashable, Sendable {
    /// It knows all ends up to here.
    var position: UInt64
    /// The epoch that the position belongs to; 0 where it knows none.
    var epoch: UInt64
    /// The log's generation that the position belongs to; nil before the first page.
    var generation: UInt64?
    /// The key set that it was told of last.
    var keySet: [UInt8]?
}

/// The ends that still matter, in their order, and what a follower is told next. Pure:
///
///     a follower asks from p           it is told
///     p before what is kept            all that is kept, as a reset
///     p within what is kept            what came after p
///     p after the last                 all that is kept, as a reset: another store's position
///     p of another epoch               all that is kept, as a reset: a backup was restored since
///     any, but the log was replaced    all that is kept, as a reset
///     nothing is known yet             nothing
///
/// An end is forgotten once no access token from before it is good any more.
struct RevocationPages: Sendable {
    /// Ends in one item: some 40 bytes each, far below the frame's limit of 128 KiB.
    static let endsInItemMax = 1_000

    /// From `first` on; those before are forgotten and not yet cleared away.
    private var ends: [Revocation] = []
    private var first = 0
    /// Complete from here on: the place of the last end that was forgotten.
    private var base: UInt64 = 0
    /// The place of the last end that is known.
    private(set) var last: UInt64 = 0
    private var generation: UInt64 = 0
    private var completeAt: Timestamp?
    private var keySet: [UInt8] = []
    private var keptFor: Duration = .zero
    private var epoch: UInt64 = 0

    /// How many ends are kept.
    var count: Int { ends.count - first }
    /// How many ends there is memory for.
    var capacity: Int { ends.capacity }

    /// Takes news in. Ends that are known already are passed over.
    mutating func take(_ news: RevocationUpdate) {
        if news.isReset || news.epoch != epoch {
            begin(before: news.ends.first?.position, or: news.position)
        }
        for end in news.ends where end.position > last {
            ends.append(end)
            last = end.position
        }
        last = max(last, news.position)
        (completeAt, keySet, keptFor) = (news.completeAt, news.keySet, news.keptFor)
        epoch = news.epoch
        if let completeAt { forget(upTo: completeAt - keptFor) }
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
        // A copy: an array that is emptied in place keeps the memory that many ends at once took.
        ends = Array(ends[first...])
        first = 0
    }

    /// What a follower is told next; moves its cursor on.
    func page(_ cursor: inout RevocationCursor) -> SessionV1.WatchEndsItem? {
        guard let completeAt else { return nil }
        let isKnown =
            (base...last).contains(cursor.position)
            && (cursor.generation ?? generation) == generation
            // Who knows nothing yet knows nothing wrong.
            && (cursor.epoch == epoch || cursor.position == 0)
        let start = isKnown ? index(after: cursor.position) : first
        let page = ends[start...].prefix(Self.endsInItemMax)
        let isLast = page.endIndex == ends.endIndex
        let position = isLast ? last : page.last?.position ?? last
        let keysChanged = cursor.keySet.map { $0 != keySet } ?? false
        cursor = RevocationCursor(
            position: position, epoch: epoch, generation: generation, keySet: keySet)
        return SessionV1.WatchEndsItem(
            position: position, completeAtMs: isLast ? completeAt.milliseconds : 0,
            reset: !isKnown, ends: page.map(\.message), keysChanged: keysChanged,
            keySet: keySet, keptForMs: keptFor.milliseconds, epoch: epoch)
    }

    /// The index of the first end after `position`.
    private func index(after position: UInt64) -> Int {
        var (low, high) = (first, ends.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ends[middle].position > position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
