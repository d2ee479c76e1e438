import PublicCalls
import TestSupport

/// Bystanders, each of whose calls follows the one before at a steady rate, which is far below the
/// limits. Those who sign in do nothing else, because a sign-in ends the session on its device.
struct Bystanders: Sendable {
    /// How many there are.
    enum Size { case few, many }

    /// The time from one sign-in, refresh, read or write of a person to the next one.
    private static let pause = Duration.seconds(2)
    /// The number of the first among callers and addresses.
    private static let first = 59_000

    private let comers: [Bystander]
    private let residents: [Bystander]

    /// Signs them up.
    init(_ size: Size, _ callers: LiveCallers) async throws {
        let (comers, residents) = size == .few ? (4, 8) : (12, 20)
        // Debug programs take a multiple of the time.
        let timeout = Duration.seconds(size == .few ? 30 : 10)
        var all: [Bystander] = []
        for number in 0..<comers + residents {
            let bystander = try await Bystander(
                Self.first + number, address: "198.18.250.\(number + 1)", timeout: timeout,
                of: callers)
            all.append(bystander)
        }
        self.comers = Array(all.prefix(comers))
        self.residents = Array(all.dropFirst(comers))
        // What is read exists, and connections are open.
        for resident in self.residents { try await resident.act(.write) }
    }

    /// Renews the sessions, whose access tokens are valid for some minutes.
    func renew() async throws {
        for resident in residents { try await resident.act(.refresh) }
    }

    /// Runs for a time.
    func run(for duration: Duration) async -> BystanderCalls {
        let end = ContinuousClock().now + duration
        return await withTaskGroup(of: BystanderCalls.self) { tasks in
            for act in Bystander.Act.allCases {
                let people = act == .signIn ? comers : residents
                for (index, bystander) in people.enumerated() {
                    let delay = Self.pause * index / people.count
                    tasks.addTask { await Self.call(act, bystander, after: delay, until: end) }
                }
            }
            var calls = BystanderCalls()
            for await own in tasks { calls.add(own) }
            return calls
        }
    }

    private static func call(
        _ act: Bystander.Act, _ bystander: Bystander, after delay: Duration,
        until end: ContinuousClock.Instant
    ) async -> BystanderCalls {
        let clock = ContinuousClock()
        var next = clock.now + delay
        var calls = BystanderCalls()
        // Ignored: on cancellation the loop runs to its end without pauses.
        try? await clock.sleep(until: next)
        while clock.now < end {
            let begun = clock.now
            do {
                try await bystander.act(act)
            } catch {
                calls.failures.append("\(act) after \(begun.duration(to: clock.now)): \(error)")
            }
            calls.times[act, default: []].append(begun.duration(to: clock.now))
            next += pause
            // Ignored: on cancellation the loop runs to its end without pauses.
            try? await clock.sleep(until: next)
        }
        return calls
    }
}

/// The calls of bystanders.
struct BystanderCalls: Sendable, CustomStringConvertible {
    /// How long each took, also one that failed.
    var times: [Bystander.Act: [Duration]] = [:]
    /// The calls that failed, with their errors.
    var failures: [String] = []

    mutating func add(_ other: BystanderCalls) {
        times.merge(other.times, uniquingKeysWith: +)
        failures += other.failures
    }

    func percentile(_ percent: Int, of act: Bystander.Act) -> Duration {
        Figures.percentile(percent, of: times[act] ?? [])
    }

    /// `refresh 200 p50 1.2 p99 4.5 max 9.1 ms` for each act, and how many failed.
    var description: String {
        let acts = Bystander.Act.allCases.map { act in
            let times = [50, 99, 100].map { AttackReport.milliseconds(percentile($0, of: act)) }
            return "\(act) \(self.times[act]?.count ?? 0) p50 \(times[0]) p99 \(times[1]) "
                + "max \(times[2]) ms"
        }
        return (acts + ["failed \(failures.count)"]).joined(separator: ", ")
    }
}
