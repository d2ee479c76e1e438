import CPostgreSQL
import Glibc
import ServiceRuntime

/// What is sent and received, with a bound on each wait.
extension ServerConnection {
    /// Reads the answers to so many commands, and to the synchronisation after them. Commands after
    /// a failed one have no answer of their own.
    func answers(_ count: Int, _ deadline: Duration) throws -> [ServerResult] {
        var results: [ServerResult] = []
        for _ in 0..<count {
            guard let result = try next(deadline) else { throw lost() }
            results.append(result)
            while try next(deadline) != nil {}
        }
        guard let end = try next(deadline), end.status == PGRES_PIPELINE_SYNC else { throw lost() }
        if PQstatus(handle) == CONNECTION_BAD { throw lost() }
        return results
    }

    /// The next result; nil at the end of those of a command.
    func next(_ deadline: Duration) throws -> ServerResult? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN, deadline)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        guard let result = PQgetResult(handle).map(ServerResult.init) else {
            if PQstatus(handle) == CONNECTION_BAD { throw lost() }
            return nil
        }
        // What ends the connection says why.
        if PQstatus(handle) == CONNECTION_BAD { throw lost(result.failure) }
        return result
    }

    func flush(_ deadline: Duration) throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try wait(for: POLLIN | POLLOUT, deadline)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    private func wait(for events: Int32, _ deadline: Duration) throws {
        var poll = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = (deadline - SystemTime.read(CLOCK_MONOTONIC)).milliseconds
            guard left > 0 else {
                throw lost(ServerFailure(sqlState: "", message: "the server did not answer"))
            }
            let found = Glibc.poll(&poll, 1, Int32(clamping: left))
            if found > 0 { return }
            guard found == 0 || errno == EINTR else { throw lost() }
        }
    }

    static func deadline(after time: Duration) -> Duration {
        SystemTime.read(CLOCK_MONOTONIC) + time
    }
}
