import Foundation
import Glibc
import TestSupport

/// What the six programs have counted so far.
struct ProgramFigures: Sendable {
    private static let names = BuiltPrograms.services + ["web"]

    /// How often circuit breakers have opened, in all programs.
    private(set) var breakerOpens = 0
    /// Seconds in which the writer of each store worked, with its commits.
    private(set) var writers: [String: Double] = [:]
    /// Charges that each limit has refused.
    private(set) var refusals: [String: Int] = [:]
    /// The processes: another one after a crash.
    let processes: [String: pid_t]

    /// As of now.
    /// - Throws: `ClusterError` if a program has no page, or none counts its breakers.
    init(of cluster: Cluster) throws {
        processes = cluster.processes
        var breakers = 0
        for name in Self.names {
            let page = try cluster.metrics(name, "/metrics").split(whereSeparator: \.isNewline)
            for line in page {
                guard let value = line.split(separator: " ").last.flatMap({ Double($0) }) else {
                    continue
                }
                if line.hasPrefix("postern_rpc_client_breaker_opens_total") {
                    breakerOpens += Int(value)
                    breakers += 1
                } else if line.hasPrefix("postern_store_commit_seconds_sum") {
                    writers[name, default: 0] += value
                } else if line.hasPrefix("postern_limits_refused_total{limit=\"") {
                    let limit = line.split(separator: "\"").dropFirst().first
                    refusals[limit.map(String.init) ?? "", default: 0] += Int(value)
                }
            }
        }
        guard breakers > 0 else { throw ClusterError(message: "no program counts its breakers") }
    }

    /// Seconds of processors that the programs have used.
    static func processorTime(of cluster: Cluster) throws -> Double {
        try cluster.processes.values.reduce(0) { sum, process in
            // Fields 14 and 15 of proc(5)'s stat; the name before them may contain any character.
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            let ticks = fields.dropFirst(12).prefix(2).compactMap { Double($0) }.reduce(0, +)
            return sum + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }
}
