import ServiceRuntime

/// Calls that wait for a connection, first come, first served.
struct WaitingCalls {
    /// A waiting call, and the endpoints for whose breakers it is the probe.
    struct Entry {
        let call: PendingCall
        let probed: [ClientEndpoint]

        /// When its connect timeout or its deadline passes, whichever is first.
        var due: Duration { min(call.connectDue, call.deadline) }
    }

    /// Calls that may wait on one event loop: some seconds' worth of calls, a few MiB with their
    /// requests.
    static let countMax = 10_000
    /// Shortest time between two scans for overdue calls, since a scan visits every call. No call
    /// outlives its deadline by much more than this.
    static let lookFloor = Duration.milliseconds(1)

    private var entries: [Entry] = []
    /// A time not later than the first due time; nil when none waits.
    private(set) var nextDue: Duration?

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.countMax }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        nextDue = nextDue.map { min($0, entry.due) } ?? entry.due
    }

    /// Removes and returns all calls.
    mutating func takeAll() -> [Entry] {
        defer {
            entries = []
            nextDue = nil
        }
        return entries
    }

    /// Removes and returns one call.
    mutating func take(_ call: PendingCall) -> Entry? {
        entries.firstIndex { $0.call === call }.map { entries.remove(at: $0) }
    }

    /// Removes and returns the calls that are due.
    mutating func takeExpired(at uptime: Duration) -> [Entry] {
        let expired = entries.filter { $0.due <= uptime }
        if !expired.isEmpty { entries.removeAll { $0.due <= uptime } }
        nextDue = entries.lazy.map(\.due).min()
        return expired
    }
}
