import ArgumentParser
import Contracts
import RPC
import ServiceRuntime

/// Calls all services that have a clock of their own, in the order of their ports.
struct ClockCallers: ParsableArguments {
    /// All but the gateway, which has no store and therefore no time of its own.
    private static let services = Endpoints.services.filter { $0 != "gateway" }

    /// The response of one service.
    struct Answer {
        let service: String
        let state: Result<ClockState, ServiceError>
    }

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Sequentially: an unreachable service must not prevent the calls to the others.
    func ask(
        _ question: (ClockClient, CallContext) async throws -> ClockState
    ) async -> [Answer] {
        var answers: [Answer] = []
        for service in Self.services {
            answers.append(Answer(service: service, state: await ask(service, question)))
        }
        return answers
    }

    private func ask(
        _ service: String, _ question: (ClockClient, CallContext) async throws -> ClockState
    ) async -> Result<ClockState, ServiceError> {
        do {
            let caller = try OperatorCaller(endpoints, service: service)
            return .success(try await question(ClockClient(caller.client), caller.context))
        } catch let error as ServiceError {
            return .failure(error)
        } catch {
            Screen.line("\(error)")
            return .failure(ServiceError(.unavailable))
        }
    }
}
