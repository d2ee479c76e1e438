/// When the answers of hashes are handed on (pure: no thread, no clock).
///
/// Two hashes leave other threads nothing in the processor's caches, code included. What follows a
/// hash runs on a dozen threads of four programs, and on a machine full of hashes it takes ten times
/// as long as on one that does nothing else. Done for several at once, most of that is paid once. So
/// while many wait, answers are gathered and handed on together:
///
///     waiting       together
///     0 … 3         1: at once
///     4, 5          2
///     6, 7          3
///     …
///     32 or more    16
///
/// To gather half as many as wait takes half of the time that a newcomer waits in any case, and no
/// longer than `patience` and the hash in work then; what the hashes gain by it is more than that for all
/// who wait. Whether a password was right makes no difference, but how long its hash took does, so only
/// hashes of one cost may be gathered (`PasswordHashPool.gathersAnswers`).
struct CompletionBatcher<Answer> {
    /// The most that are handed on together.
    static var togetherMax: Int { 16 }
    /// For so many who wait, one more is gathered.
    static var waitingForEach: Int { 2 }
    /// After so long the first waits for no others; looked at when a hash ends.
    static var patience: Duration { .milliseconds(100) }

    private var gathered: [Answer] = []
    private var since: Duration = .zero

    /// A hash has ended, at `now` (uptime), and so many wait for theirs.
    /// - Returns: what is to be handed on now, the oldest first.
    mutating func add(_ answer: Answer, waiting: Int, now: Duration) -> [Answer] {
        if gathered.isEmpty { since = now }
        gathered.append(answer)
        let together = min(waiting / Self.waitingForEach, Self.togetherMax)
        return gathered.count >= together || now - since >= Self.patience ? takeAll() : []
    }

    /// The queue is empty, and perhaps no other hash will end: all that is gathered.
    mutating func takeAll() -> [Answer] {
        defer { gathered.removeAll(keepingCapacity: true) }
        return gathered
    }
}
