import CPostgreSQL
import Glibc
import ServiceRuntime

/// What is sent and received, with a bound on each wait.
extension ServerConnection {
    /// The bytes of all parameters are one buffer, to which the parameters point.
    func send(_ values: [[UInt8]?], _ name: String) -> Bool {
        let bytes = Array(values.compactMap(\.self).joined()) + [0]
        return bytes.withUnsafeBytes { buffer in
            let base = buffer.bindMemory(to: CChar.self).baseAddress
            var at = 0
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                defer { at += value?.count ?? 0 }
                return value == nil ? nil : base.map { $0 + at }
            }
            let lengths = values.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: values.count)
            return PQsendQueryPrepared(
                handle, name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
    }

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
            let left = (deadline - Self.uptime).milliseconds
            guard left > 0 else {
                throw lost(ServerFailure(sqlState: "", message: "the server did not answer"))
            }
            let found = Glibc.poll(&poll, 1, Int32(clamping: left))
            if found > 0 { return }
            guard found == 0 || errno == EINTR else { throw lost() }
        }
    }

    private static var uptime: Duration {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }

    static func deadline(after time: Duration) -> Duration { uptime + time }
}
