import Glibc
import Logging
import RPC
import ServiceRuntime

/// Open files, of which each connection is one. A process that has none left cannot accept, read a
/// key or open its store, so connections are bounded well before:
///
///     the system gives              then
///     connections-max and 256       all connections
///     less, but 64 and 256          fewer connections, with a warning
///     less than that                the program does not start
enum OpenFiles {
    /// What the program needs beside connections: stores, logs, peers, lookups.
    static let reserve = 256
    /// With fewer connections a service is of no use: each peer alone has one for each event loop.
    static let connectionsMin = 64

    /// Raises the process's soft limit to what the connections need, and where the hard one is
    /// lower, lowers the connections.
    /// - Throws: `OpenFilesError`.
    static func fitted(_ limits: ServerLimits, logger: Logger) throws -> ServerLimits {
        try fitted(limits, given: raised(to: limits.connectionsMax + reserve), logger: logger)
    }

    /// The limits for so many open files.
    static func fitted(
        _ limits: ServerLimits, given: Int, logger: Logger
    ) throws(OpenFilesError) -> ServerLimits {
        guard given < limits.connectionsMax + reserve else { return limits }
        let needed = min(limits.connectionsMax, connectionsMin) + reserve
        guard given >= needed else { throw OpenFilesError(given: given, needed: needed) }
        var fitted = limits
        fitted.connectionsMax = given - reserve
        logger.warning(
            "process.open_files.low", "the limit of open files is lower than connections-max needs",
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

/// The system gives the program fewer open files than it needs to serve.
struct OpenFilesError: Error, Hashable, CustomStringConvertible {
    let given: Int
    let needed: Int

    var description: String {
        "the limit of open files is \(given), and \(needed) are needed: raise it "
            + "(`ulimit -n`, LimitNOFILE of systemd, `ulimits: nofile` of compose)"
    }
}
