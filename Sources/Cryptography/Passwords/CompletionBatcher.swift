/// Decides when the answers of hashes are delivered. Pure: no thread, no clock.
///
/// Two hashes evict everything else from the processor's caches, code included. The work that
/// follows a hash runs on a dozen threads of four programs, and on a machine full of hashes it
/// takes ten times as long as on an idle one. When several answers are delivered together, most of
/// that cost is paid once. So while many jobs wait, answers are gathered and delivered together:
///
///     waiting       delivered together
///     0 … 3         1: at once
///     4, 5          2
///     6, 7          3
///     …
///     32 or more    16
///
/// Gathering half as many answers as jobs wait adds half of the time that a new job waits anyway,
/// and at most `gatheringMax` plus the duration of the running hash. The gain is larger than that
/// for all waiting jobs. Whether a password was correct makes no difference to the delay, but the
/// duration of its hash does, so answers may be gathered only where all hashes have the same cost
/// (`PasswordHashPool.gathersAnswers`).
struct CompletionBatcher<Answer> {
    /// The largest number of answers delivered together.
    static var togetherMax: Int { 16 }
    /// For this number of waiting jobs, one more answer is gathered.
    static var waitingForEach: Int { 2 }
    /// After this time the first answer waits for no others. Checked when a hash ends.
    static var gatheringMax: Duration { .milliseconds(100) }

    private var gathered: [Answer] = []
    private var since: Duration = .zero

    /// Adds the answer of a hash that ended at `now` (uptime) while `waiting` jobs wait.
    /// - Returns: The answers to deliver now, the oldest first.
    mutating func add(_ answer: Answer, waiting: Int, now: Duration) -> [Answer] {
        if gathered.isEmpty { since = now }
        gathered.append(answer)
        let together = min(waiting / Self.waitingForEach, Self.togetherMax)
        return gathered.count >= together || now - since >= Self.gatheringMax ? takeAll() : []
    }

    /// All gathered answers. For when the queue is empty and perhaps no other hash will end.
    mutating func takeAll() -> [Answer] {
        defer { gathered.removeAll(keepingCapacity: true) }
        return gathered
    }
}
