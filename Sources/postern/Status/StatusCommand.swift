import ArgumentParser
import ServiceRuntime

/// `postern status`: the health of all five.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Asks all five programs whether they take calls; exits with 1 if one does not.")

    /// For a connection; a program that is up takes one in a millisecond.
    private static let patience = Duration.milliseconds(700)

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    func run() async throws {
        let endpoints = try Endpoints(endpoints)
        let states = await states(endpoints)
        var isWell = true
        for service in Endpoints.services {
            let state = states[service] ?? "no answer"
            isWell = isWell && state == "serving"
            Screen.line(service + String(repeating: " ", count: 16 - service.count) + state)
        }
        if !isWell { throw ExitCode(1) }
    }

    /// All are asked at once, so that those that are down cost their patience once.
    private func states(_ endpoints: Endpoints) async -> [String: String] {
        await withTaskGroup(of: (String, String).self) { group in
            for service in Endpoints.services {
                group.addTask { (service, await state(of: service, endpoints)) }
            }
            var states: [String: String] = [:]
            for await (service, state) in group { states[service] = state }
            return states
        }
    }

    private func state(of service: String, _ endpoints: Endpoints) async -> String {
        do {
            let caller = try Caller(endpoints, service: service, connectPatience: Self.patience)
            return try await caller.isServing() ? "serving" : "not serving"
        } catch let error as ServiceError {
            return "no answer (\(error.code.rawValue))"
        } catch {
            return "no answer (\(error))"
        }
    }
}
