import Contracts
import Glibc
import Logging
import RateLimitService
import ServiceRuntime

/// Charges limits as fast as it can, and prints on its standard output the number of each subject
/// whose charge is on disk, until it is killed. `LimitsCrashTests` starts it and kills it.
@main
struct LimitsCrashWriter {
    static let writers: UInt64 = 8

    static func main() async throws {
        guard CommandLine.arguments.count == 3, let start = UInt64(CommandLine.arguments[2]) else {
            exit(64)
        }
        let rule = LimitRule.slidingWindow(count: 5, window: .seconds(24 * 3_600))
        let time = SystemTime()
        let table = try LimitTable(
            statesMax: 1_000_000, rule: rule, folder: CommandLine.arguments[1], at: time.now(),
            logger: Logger(label: "crash"))
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask {
                    for subject in stride(from: start + writer, to: .max, by: Int(writers)) {
                        let key = LimitKey(limit: 1, high: subject &* 0x9E37_79B9_7F4A_7C15, low: 0)
                        let batch = [LimitRequest(key: key, rule: rule, isShadow: false)]
                        _ = table.apply(.consume, batch, at: time.now())
                        try await table.persisted()
                        tell(subject)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// One line in one write, which a pipe keeps whole.
    static func tell(_ subject: UInt64) {
        let line = Array("\(subject)\n".utf8)
        if Glibc.write(STDOUT_FILENO, line, line.count) != line.count { exit(1) }
    }
}
