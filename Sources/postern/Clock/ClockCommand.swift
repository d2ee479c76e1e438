import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern clock`: shows whether services wait for confirmation of the machine's clock, and
/// confirms it (Sources/SECURITY.md, Clock).
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Shows whether services wait for confirmation of the machine's clock.",
        discussion: """
            A service that starts more than a day after it stopped cannot distinguish a machine \
            that was off from a clock that is wrong. It continues from the time at which it \
            stopped, and sessions are not refreshed or validated, until the clock is corrected, a \
            time server has set it, or you accept it.
            """,
        subcommands: [Check.self, Accept.self], defaultSubcommand: Check.self)

    /// `postern clock check`.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the state of each service's clock; exits with 1 if one waits.")

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let answers = await services.clocks { clock, context in
                ClockState(try await clock.check(.init(), context))
            }
            try show(answers, else: { $0.isWaiting ? 1 : 0 })
        }
    }

    /// `postern clock accept`.
    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirms to all services that the machine's clock is right.",
            discussion: """
                A clock that is ahead is accepted, whether a service waits for confirmation or the \
                clock was stepped later. Time never goes back: a clock that is behind is not \
                accepted, and the command exits with 1.
                """)

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let answers = await services.clocks { clock, context in
                let before = ClockState(try await clock.check(.init(), context))
                _ = try await clock.accept(.init(), context)
                return before.accepted(ClockState(try await clock.check(.init(), context)))
            }
            try show(answers, else: { $0.isApart ? 1 : 0 })
        }
    }
}

/// The response of one service.
private struct ClockAnswer {
    let service: String
    let state: Result<ClockState, ServiceError>
}

extension EndpointsOption {
    /// Asks all services that have a clock of their own, in the order of their ports: not the
    /// gateway, which has no store and therefore no time of its own. Sequentially: an unreachable
    /// service must not prevent the calls to the others.
    fileprivate func clocks(
        _ question: (ClockClient, CallContext) async throws -> ClockState
    ) async -> [ClockAnswer] {
        var answers: [ClockAnswer] = []
        for service in Endpoints.services where service != "gateway" {
            answers.append(ClockAnswer(service: service, state: await clock(service, question)))
        }
        return answers
    }

    private func clock(
        _ service: String, _ question: (ClockClient, CallContext) async throws -> ClockState
    ) async -> Result<ClockState, ServiceError> {
        do {
            let caller = try Caller(Endpoints(endpoints), service: service)
            return .success(try await question(ClockClient(caller.client), caller.context))
        } catch let error as ServiceError {
            return .failure(error)
        } catch {
            Screen.line("\(error)")
            return .failure(ServiceError(.unavailable))
        }
    }
}

extension AsyncParsableCommand {
    /// Prints a line for each service, and exits with 1 if one did not respond.
    fileprivate func show(
        _ answers: [ClockAnswer], else code: (ClockState) -> Int32
    ) throws {
        var exitCode: Int32 = 0
        for answer in answers {
            let service = answer.service.padded(to: 16)
            switch answer.state {
            case .success(let state):
                Screen.line(service + state.text)
                exitCode = max(exitCode, code(state))
            case .failure(let error):
                Screen.line(service + "no answer (\(error.code.rawValue))")
                exitCode = 1
            }
        }
        if exitCode != 0 { throw ExitCode(exitCode) }
    }
}
