import FoundationEssentials
import PublicCalls

/// What each program has used so far: CPU time, and the time of its store's writer.
struct ProgramCosts {
    /// Seconds of CPU time, of all threads.
    private(set) var processor: [String: Double] = [:]
    /// Seconds in which the writer worked on groups of flows, with their commits.
    private(set) var writer: [String: Double] = [:]

    private init() {}

    /// As of now, before calls: with the pages of metrics first, which take time themselves.
    init(before programs: RunningPrograms) throws {
        writer = try Self.writerTimes(of: programs)
        processor = try Self.processorTimes(of: programs)
    }

    /// As of now, after calls.
    init(after programs: RunningPrograms) throws {
        processor = try Self.processorTimes(of: programs)
        writer = try Self.writerTimes(of: programs)
    }

    /// What was used since then.
    func since(_ before: ProgramCosts) -> ProgramCosts {
        var costs = ProgramCosts()
        costs.processor = processor.merging(before.processor) { $0 - $1 }
        costs.writer = writer.merging(before.writer) { $0 - $1 }
        return costs
    }

    /// The CPU time of all programs.
    var sum: Double { processor.values.reduce(0, +) }

    private static func processorTimes(of programs: RunningPrograms) throws -> [String: Double] {
        try programs.programs().mapValues { try processorTime(of: $0) }
    }

    /// By the scheduler, in nanoseconds: `stat` counts in hundredths of a second.
    private static func processorTime(of process: Substring) throws -> Double {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        return tasks.reduce(0) { sum, task in
            // A thread that has ended has no file.
            let text = try? RunningPrograms.text("/proc/\(process)/task/\(task)/schedstat")
            return sum + (text?.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
    }

    private static func writerTimes(of programs: RunningPrograms) throws -> [String: Double] {
        var times: [String: Double] = [:]
        for name in try programs.programs().keys {
            let page = try LoopbackHTTP.exchange(
                "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
                port: try programs.ports(of: name).metrics)
            times[name] = writerTime(in: String(decoding: page, as: UTF8.self))
        }
        return times
    }

    private static func writerTime(in page: String) -> Double {
        page.split(whereSeparator: \.isNewline)
            .filter { $0.hasPrefix("postern_store_commit_seconds_sum") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0, +)
    }
}
