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
            try await services.showClocks { clock, context in
                let state = ClockState(try await clock.check(.init(), context))
                return (state.text, isWell: !state.isWaiting)
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
            try await services.showClocks { clock, context in
                let before = ClockState(try await clock.check(.init(), context))
                _ = try await clock.accept(.init(), context)
                let after = ClockState(try await clock.check(.init(), context))
                return (before.text(afterAccepting: after), isWell: !after.isApart)
            }
        }
    }
}

extension EndpointsOption {
    /// Prints a line for each service that has a clock of its own, in the order of their ports: not
    /// the gateway, which has no store and therefore no time of its own. The calls are sequential:
    /// an unreachable service must not prevent the calls to the others.
    /// - Parameter question: calls one service and returns the text of its line.
    /// - Throws: `ExitCode` 1 if a service is not well or did not respond.
    fileprivate func showClocks(
        _ question: (ClockClient, CallContext) async throws -> (text: String, isWell: Bool)
    ) async throws {
        var lines: [String] = []
        var areWell = true
        for service in Endpoints.services where service != "gateway" {
            let (text, isWell) = await answer(of: service, to: question)
            lines.append(service.padded(to: 16) + text)
            areWell = areWell && isWell
        }
        for line in lines { Screen.line(line) }
        if !areWell { throw ExitCode(1) }
    }

    private func answer(
        of service: String,
        to question: (ClockClient, CallContext) async throws -> (text: String, isWell: Bool)
    ) async -> (text: String, isWell: Bool) {
        do {
            let caller = try Caller(Endpoints(endpoints), service: service)
            return try await question(ClockClient(caller.client), caller.context)
        } catch {
            let known = error as? ServiceError
            if known == nil { Screen.line("\(error)") }
            let code = known?.code ?? .unavailable
            return ("no answer (\(code.rawValue))", false)
        }
    }
}
