import Glibc

/// A server that `docker/bench.sh` starts and kills.
enum RunningServer {
    /// Prints the port, for which `start_server` waits, and runs until a signal ends the process.
    static func listens(on port: Int) async throws {
        print(port)
        fflush(nil)
        try await Task.sleep(for: .seconds(3600))
    }
}
