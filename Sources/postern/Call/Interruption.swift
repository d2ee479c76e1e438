import Dispatch
import Glibc

/// Ctrl-C for a command that has to cancel something first.
enum Interruption {
    /// Runs `body`; the first Ctrl-C cancels it, a second ends the tool as usual.
    static func cancels(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let work = Task { try await body() }
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            work.cancel()
        }
        source.resume()
        defer {
            source.cancel()
            signal(SIGINT, SIG_DFL)
        }
        try await work.value
    }
}
