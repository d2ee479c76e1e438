import ArgumentParser
import ServiceRuntime

/// `postern status`: the health of all five.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Asks all five programs whether they take calls; exits with 1 if one does not.")

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    func run() async throws {
        let endpoints = try Endpoints(endpoints)
        var isWell = true
        for service in Endpoints.services {
            let state = await state(of: service, endpoints)
            isWell = isWell && state == "serving"
            Screen.line(service + String(repeating: " ", count: 16 - service.count) + state)
        }
        if !isWell { throw ExitCode(1) }
    }

    private func state(of service: String, _ endpoints: Endpoints) async -> String {
        do {
            let caller = try Caller(endpoints, service: service)
            return try await caller.isServing() ? "serving" : "not serving"
        } catch let error as ServiceError {
            return "no answer (\(error.code.rawValue))"
        } catch {
            return "no answer (\(error))"
        }
    }
}
