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
            try await services.clocks(failIf: \.isWaiting) { clock, context in
                ClockState(try await clock.check(.init(), context))
            }
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
            try await services.clocks(failIf: \.isApart) { clock, context in
                let before = ClockState(try await clock.check(.init(), context))
                _ = try await clock.accept(.init(), context)
                return before.accepted(ClockState(try await clock.check(.init(), context)))
            }
        }
    }
}

extension EndpointsOption {
    /// Calls all services that have a clock of their own, in the order of their ports: not the
    /// gateway, which has no store and therefore no time of its own. Sequentially: an unreachable
    /// service must not prevent the calls to the others. Prints a line for each.
    /// - Throws: `ExitCode` 1 if one did not respond, or its state is a failure.
    fileprivate func clocks(
        failIf isFailure: (ClockState) -> Bool,
        _ call: (ClockClient, CallContext) async throws -> ClockState
    ) async throws {
        var lines: [String] = []
        var hasFailure = false
        for service in Endpoints.services where service != "gateway" {
            let name = service.padded(to: 16)
            do {
                let caller = try Caller(Endpoints(endpoints), service: service)
                let state = try await call(ClockClient(caller.client), caller.context)
                lines.append(name + state.text)
                hasFailure = hasFailure || isFailure(state)
            } catch {
                if !(error is ServiceError) { Screen.line("\(error)") }
                let code = (error as? ServiceError)?.code ?? .unavailable
                lines.append("\(name)no answer (\(code.rawValue))")
                hasFailure = true
            }
        }
        lines.forEach(Screen.line)
        if hasFailure { throw ExitCode(1) }
    }
}
