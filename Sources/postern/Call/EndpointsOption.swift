import ArgumentParser
import RPC
import ServiceRuntime

/// The option of every command that calls services. Calls one as the operator, and prints its
/// errors.
struct EndpointsOption: ParsableArguments {
    @Option(
        help: """
            The file that `postern up` writes. The environment variable POSTERN_ENDPOINTS sets \
            the default.
            """)
    var endpoints = Endpoints.defaultPath

    /// Calls `service` (`session`, `notification`, …). Prints an error of the service on standard
    /// error, with its address and what to do, and exits with 1.
    /// - Parameters:
    ///   - hints: what to do about a rejected field, by the field's name.
    ///   - notFound: what it means that nothing was found.
    func call<Answer>(
        _ service: String, hints: [String: String] = [:], notFound: String? = nil,
        _ question: (Caller) async throws -> Answer
    ) async throws -> Answer {
        let endpoints = try Endpoints(endpoints)
        let caller = try Caller(endpoints, service: service)
        do {
            return try await question(caller)
        } catch let error as ServiceError {
            let address = endpoints.address(of: service)?.description ?? ""
            CallFailure(
                error: error, service: service, address: address, hints: hints, notFound: notFound
            ).lines.forEach(Screen.error)
            throw ExitCode(1)
        }
    }

    /// Prints the lines that `question` makes of a response.
    func show(
        _ service: String, hints: [String: String] = [:],
        _ question: (Caller) async throws -> [String]
    ) async throws {
        for line in try await call(service, hints: hints, question) { Screen.line(line) }
    }
}
