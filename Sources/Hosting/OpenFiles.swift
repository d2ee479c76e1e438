import Glibc
import Logging
import RPC
import ServiceRuntime

/// Open files, of which each connection is one. A process that has none left cannot accept, read a
/// key or open its store, so connections are bounded well before.
enum OpenFiles {
    /// What the program needs beside connections: stores, logs, peers, lookups.
    static let reserve = 256

    /// Raises the process's soft limit to what the connections need, and where the hard one is
    /// lower, lowers the connections.
    static func fitted(_ limits: ServerLimits, logger: Logger) -> ServerLimits {
        let wanted = limits.connectionsMax + reserve
        let given = raised(to: wanted)
        guard given < wanted else { return limits }
        var fitted = limits
        fitted.connectionsMax = max(1, given - reserve)
        logger.warning(
            "the limit of open files is below what connections-max needs",
            fields: [.setting: .text("connections-max"), .count: .count(fitted.connectionsMax)])
        return fitted
    }

    /// - Returns: how many files may be open now.
    private static func raised(to wanted: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        let wanted = rlim_t(clamping: wanted)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &limit) != 0 { getrlimit(resource, &limit) }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
