import Glibc

/// Metrics of this process from the operating system, under the names that Prometheus' own client
/// libraries use.
/// Source: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
package struct ProcessFigures: MetricSource {
    private let program: String
    private let version: String
    private let startedSeconds: Double

    /// The metrics of this process. Takes the present moment as its start.
    package init(program: String, version: String, time: any Time) {
        self.program = program
        self.version = version
        startedSeconds = Double(time.now().milliseconds) / 1_000
    }

    /// Writes the families `process_…` and `build_info`. Omits values that the system does not
    /// provide.
    package func write(to page: inout MetricsPage) {
        page.gauge("build_info", 1, [("program", program), ("version", version)])
        page.gauge("process_start_time_seconds", startedSeconds)
        if let usage = ProcessFigures.Usage(Self.text(of: "/proc/self/stat")) {
            let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
            page.counter("process_cpu_seconds_total", Double(usage.ticks) / ticks)
            page.gauge("process_virtual_memory_bytes", Double(usage.virtualBytes))
            page.gauge(
                "process_resident_memory_bytes",
                Double(usage.residentPages) * Double(sysconf(Int32(_SC_PAGESIZE))))
            page.gauge("process_threads", Double(usage.threads))
        }
        if let count = Self.openDescriptors() { page.gauge("process_open_fds", Double(count)) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(7), &limit) == 0 {  // RLIMIT_NOFILE, on every Linux
            page.gauge("process_max_fds", Double(limit.rlim_cur))
        }
    }

    private static func openDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return max(0, count - 3)  // ".", ".." and the folder itself
    }

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// The parts of `/proc/<pid>/stat` that the metrics need (proc(5)).
    struct Usage: Equatable {
        /// User and system time, in clock ticks.
        let ticks: UInt64
        let threads: UInt64
        let virtualBytes: UInt64
        let residentPages: UInt64

        /// Parses the line. Nil for an invalid line. The second part is the program's name in
        /// parentheses, and may itself contain parentheses and spaces.
        init?(_ line: String) {
            guard let end = line.lastIndex(of: ")") else { return nil }
            // From the third part on: state is parts[0], utime 11, stime 12, threads 17, vsize 20.
            let parts = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
            guard parts.count > 21, let user = UInt64(parts[11]), let system = UInt64(parts[12]),
                let threads = UInt64(parts[17]), let virtual = UInt64(parts[20]),
                let resident = UInt64(parts[21])
            else { return nil }
            ticks = user &+ system
            self.threads = threads
            virtualBytes = virtual
            residentPages = resident
        }
    }
}
