import Contracts
import Foundation
import PublicCalls
import ServiceRuntime

/// What came out of one attack, as a line.
struct AttackReport: CustomStringConvertible {
    /// The part of its limits that an attack reaches at least; a line says so if one does not.
    private static let reachedMin = 0.8

    let attack: Attack
    let duration: Duration
    let counts: AttackCounts
    let bystanders: BystanderCalls
    let before: ProgramFigures
    let after: ProgramFigures
    /// What the limits left to the attackers, before and after.
    let free: (before: [LimitsReached.Subject: Int], after: [LimitsReached.Subject: Int])

    /// The method.
    var name: String { attack.call.name }
    /// How often breakers have opened meanwhile.
    var breakerOpens: Int { after.breakerOpens - before.breakerOpens }
    /// The programs that have ended meanwhile.
    var endedPrograms: [String] {
        before.processes.filter { after.processes[$0.key] != $0.value }.map(\.key).sorted()
    }

    var description: String {
        [
            "\(name): \(attack.attackers.count) accounts, \(inFlight) in flight, \(duration)",
            "\(counts.calls) calls, \(counts.succeeded) ok, " + Self.list(counts.errors),
            "\(counts.bytes >> 10) KiB", "writers " + writers, limits,
            "breakers opened \(breakerOpens)", "bystanders: \(bystanders)",
        ].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private var inFlight: String {
        attack.isLimited
            ? "\(Attack.inFlightOfLimited) of each" : "\(Attack.inFlight)"
    }

    private var writers: String {
        let times = after.writers.merging(before.writers, uniquingKeysWith: -)
        return times.filter { $0.value >= 0.01 }.sorted { $0.key < $1.key }
            .map { "\($0.key) \(String(format: "%.2f", $0.value)) s" }.joined(separator: ", ")
    }

    // MARK: Limits

    /// How far the attackers came, or that nothing limits them but the calls in flight.
    private var limits: String {
        let refusals = after.refusals.merging(before.refusals, uniquingKeysWith: -)
            .filter { $0.value > 0 }
        let refused = refusals.isEmpty ? "" : "; refused charges: " + Self.list(refusals)
        guard attack.isLimited else {
            return "no limit" + (attack.call.isOnce ? ", requests repeated" : "") + refused
        }
        let allowed = counts.calls - (counts.errors[ErrorCode.tooManyRequests.rawValue] ?? 0)
        let names = Set(free.before.keys.map(\.limit)).sorted { $0.rawValue < $1.rawValue }
        let rows = names.map { limit in
            let sums = [free.before, free.after].map { free in
                free.filter { $0.key.limit == limit }.values.reduce(0, +)
            }
            return "\(limit.rawValue) free \(sums[0]) → \(sums[1])"
        }
        let percent = Int((reached * 100).rounded())
        return "limits reached \(percent) %"
            + (reached < Self.reachedMin ? " (BELOW 80 %)" : "")
            + ", \(counts.succeeded) of \(allowed) allowed calls ok"
            + " (\(counts.refused.count) of \(attack.attackers.count) refused; "
            + rows.joined(separator: ", ") + refused + ")"
    }

    /// The part of the limits: an attacker that was refused is at its limit; the others count by the
    /// limit of which all together have used most. What was free again meanwhile is not counted.
    private var reached: Double {
        let limits = Dictionary(grouping: free.before, by: \.key.limit)
        let used =
            limits.values.map { subjects in
                let before = subjects.reduce(0) { $0 + $1.value }
                let after = subjects.reduce(0) { $0 + min($1.value, free.after[$1.key] ?? 0) }
                return before == 0 ? 1 : 1 - Double(after) / Double(before)
            }.max() ?? 0
        let others = Double(attack.attackers.count - counts.refused.count) * used
        return (Double(counts.refused.count) + others) / Double(attack.attackers.count)
    }

    // MARK: Words

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// In milliseconds with one digit after the point.
    static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.1f", duration / .milliseconds(1))
    }
}
