import ServiceRuntime

/// The state that `ManualTime` guards: the clocks, the sleeping tasks, and the tasks that wait for
/// sleepers.
struct ManualTimeState {
    typealias Sleep = CheckedContinuation<Void, any Error>
    typealias Watcher = CheckedContinuation<Void, Never>

    private(set) var now: Timestamp
    /// How far ahead of `now` the wall clock is.
    var step: Duration = .zero
    private(set) var uptime: Duration = .seconds(1_000)
    var boots = 1
    var isSynchronised = false
    private(set) var numbersTaken = 0
    private var sleeping: [(number: Int, until: Duration, sleep: Sleep)] = []
    private var watching: [(count: Int, watcher: Watcher)] = []

    init(now: Timestamp) {
        self.now = now
    }

    /// Sets `now` without changing the wall clock.
    mutating func goOn(from moment: Timestamp) {
        step += now - moment
        now = moment
    }

    /// Returns a number for a sleeper, in order of arrival.
    mutating func takeNumber() -> Int {
        numbersTaken += 1
        return numbersTaken
    }

    /// Adds a sleeper, unless it is cancelled already. Returns the watchers whose condition is now
    /// met.
    mutating func add(
        _ number: Int, _ duration: Duration, _ sleep: Sleep, isCancelled: Bool
    ) -> (watchers: [Watcher], isCancelled: Bool) {
        if isCancelled { return ([], true) }
        sleeping.append((number, uptime + duration, sleep))
        let met = watching.filter { $0.count <= sleeping.count }
        watching.removeAll { $0.count <= sleeping.count }
        return (met.map(\.watcher), false)
    }

    /// Removes a sleeper if it is still asleep.
    mutating func remove(_ number: Int) -> Sleep? {
        sleeping.firstIndex { $0.number == number }.map { sleeping.remove(at: $0).sleep }
    }

    /// Advances the clocks and removes the sleepers that are due, ordered by time and then by
    /// arrival.
    mutating func advance(by duration: Duration) -> [Sleep] {
        now = now + duration
        uptime += duration
        let due = sleeping.filter { $0.until <= uptime }
        sleeping.removeAll { $0.until <= uptime }
        return due.sorted { ($0.until, $0.number) < ($1.until, $1.number) }.map(\.sleep)
    }

    /// Registers a task that waits for sleepers. Returns true if enough of them are asleep already.
    mutating func watch(_ count: Int, _ watcher: Watcher) -> Bool {
        if sleeping.count >= count { return true }
        watching.append((count, watcher))
        return false
    }
}
