import Glibc
import Logging
import RPC
import ServiceRuntime

/// The limit on open files, of which each connection is one. A process that reaches it cannot
/// accept connections, read a key or open its store. So the number of connections is limited well
/// below it:
///
///     limit of the system                     result
///     at least connections-max + 256          all connections
///     less, but at least 64 + 256             fewer connections, with a warning
///     less than that                          the program does not start
enum OpenFiles {
    /// Files that the program needs besides connections: stores, logs, peers, lookups.
    static let reserve = 256
    /// With fewer connections a service is useless: each peer alone has one for each event loop.
    static let connectionsMin = 64

    /// Raises the process's soft limit to what the connections need. Where the hard limit is lower,
    /// reduces the number of connections.
    /// - Throws: `StartError`.
    static func fitted(_ limits: ServerLimits, logger: Logger) throws -> ServerLimits {
        try fitted(limits, given: raised(to: limits.connectionsMax + reserve), logger: logger)
    }

    /// Adapts the limits to this number of open files.
    /// - Throws: `StartError`.
    static func fitted(
        _ limits: ServerLimits, given: Int, logger: Logger
    ) throws(StartError) -> ServerLimits {
        guard given < limits.connectionsMax + reserve else { return limits }
        let needed = min(limits.connectionsMax, connectionsMin) + reserve
        guard given >= needed else { throw tooFew(given: given, needed: needed) }
        var fitted = limits
        fitted.connectionsMax = given - reserve
        logger.warning(
            "process.open_files.low", "the limit of open files is lower than connections-max needs",
            fields: [.setting: .text("connections-max"), .count: .count(fitted.connectionsMax)])
        return fitted
    }

    /// The system's limit on open files is too low for the program.
    static func tooFew(given: Int, needed: Int) -> StartError {
        StartError(
            "the limit of open files is \(given), and \(needed) are needed: raise it "
                + "(`ulimit -n`, LimitNOFILE of systemd, `ulimits: nofile` of compose)")
    }

    /// - Returns: The number of files that may be open now.
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
