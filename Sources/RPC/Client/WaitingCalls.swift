import ServiceRuntime

/// Calls for which no connection stands yet, in the order of their coming.
struct WaitingCalls {
    /// A call, and the addresses for whose breakers it is the probe.
    struct Entry {
        let call: PendingCall
        let probed: [ClientEndpoint]

        /// When its patience or its time is over.
        var due: Duration { min(call.connectDue, call.deadline) }
    }

    /// So many wait on one event loop: some seconds' worth of calls, a few MiB with their requests.
    static let countMax = 10_000
    /// From one look for those whose time is over to the next at least, as each goes through all:
    /// no call outlives its deadline by much more than that.
    static let lookFloor = Duration.milliseconds(1)

    private var entries: [Entry] = []
    /// A moment not after the first whose patience or time is over; nil when none waits.
    private(set) var nextDue: Duration?

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.countMax }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        nextDue = nextDue.map { min($0, entry.due) } ?? entry.due
    }

    /// Takes all out.
    mutating func takeAll() -> [Entry] {
        defer {
            entries = []
            nextDue = nil
        }
        return entries
    }

    /// Takes one out.
    mutating func take(_ call: PendingCall) -> Entry? {
        entries.firstIndex { $0.call === call }.map { entries.remove(at: $0) }
    }

    /// Takes those out whose patience or time is over.
    mutating func takeExpired(at uptime: Duration) -> [Entry] {
        let expired = entries.filter { $0.due <= uptime }
        if !expired.isEmpty { entries.removeAll { $0.due <= uptime } }
        nextDue = entries.lazy.map(\.due).min()
        return expired
    }
}
