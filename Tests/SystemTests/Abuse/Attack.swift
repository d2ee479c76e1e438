import PublicCalls
import ServiceRuntime
import Synchronization
import TestSupport

/// Attackers by one method.
struct Attack: Sendable {
    /// Calls of all attackers that are under way at the same time, by a method without limits.
    static let inFlight = 16
    /// The same of one attacker, where limits say how much it gets.
    static let inFlightOfLimited = 3
    /// How long an attacker waits who was refused by a limit.
    private static let pause = Duration.milliseconds(100)
    /// The deadlines of the calls, in turns.
    private static let timeouts = [Duration.milliseconds(1_100), .seconds(30)]

    let call: PublicCall
    let attackers: [Attacker]
    /// Whether limits say how many calls an account or an address gets.
    var isLimited: Bool { !AttackedLimits.of(call).isEmpty }

    /// Attacks while `body` runs. What is under way at its end is cancelled.
    func run<Value: Sendable>(
        beside body: @Sendable () async -> Value
    ) async -> (AttackCounts, Value) {
        let over = Flag()
        return await withTaskGroup(of: AttackCounts.self) { tasks in
            let workers = isLimited ? attackers.count * Self.inFlightOfLimited : Self.inFlight
            let turns = Turns()
            for worker in 0..<workers {
                tasks.addTask { await work(worker, turns, until: over) }
            }
            let value = await body()
            over.raise()
            tasks.cancelAll()
            var counts = AttackCounts()
            for await own in tasks { counts.add(own) }
            return (counts, value)
        }
    }

    /// Whose turn it is.
    private final class Turns: Sendable {
        private let count = Atomic<Int>(0)

        func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
    }

    /// Makes one call after the other.
    private func work(_ worker: Int, _ turns: Turns, until over: Flag) async -> AttackCounts {
        var counts = AttackCounts()
        // Not all of an attacker's first calls, which its limits allow at once, have one deadline.
        let first = isLimited ? worker / attackers.count : worker
        while !over.isRaised {
            let index = (isLimited ? worker : turns.next()) % attackers.count
            let timeout = Self.timeouts[(first + counts.calls) % Self.timeouts.count]
            var bytes = 0
            counts.calls += 1
            do {
                try await attackers[index].send(timeout: timeout, adding: &bytes)
                counts.succeeded += 1
                counts.bytes += bytes
            } catch let error as ServiceError {
                counts.errors[over.isRaised ? "left" : Self.name(of: error), default: 0] += 1
                guard error.code == .tooManyRequests else {
                    counts.bytes += bytes
                    continue
                }
                counts.refused.insert(index)
                // Ignored: on cancellation the loop ends.
                try? await Task.sleep(for: Self.pause)
            } catch {
                counts.errors[over.isRaised ? "left" : "\(error)", default: 0] += 1
            }
        }
        return counts
    }

    /// The code, and the part that failed or did not answer.
    private static func name(of error: ServiceError) -> String {
        let part = error.unavailablePart
        return error.code.rawValue + (part.isEmpty ? "" : " of \(part)")
    }
}

/// What attackers have reached.
struct AttackCounts: Sendable {
    var calls = 0
    var succeeded = 0
    /// The bytes of the requests that no limit refused.
    var bytes = 0
    /// The other calls, by the code of their error and the part; "left" are those that were under way at the end.
    var errors: [String: Int] = [:]
    /// Attackers that a limit has refused.
    var refused: Set<Int> = []

    mutating func add(_ other: AttackCounts) {
        calls += other.calls
        succeeded += other.succeeded
        bytes += other.bytes
        errors.merge(other.errors, uniquingKeysWith: +)
        refused.formUnion(other.refused)
    }
}
