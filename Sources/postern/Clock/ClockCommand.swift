import ArgumentParser
import Contracts
import JSON
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
            abstract:
                "Shows the state of each service's clock; exits with 1 if one waits or differs.")

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            try await services.showClocks(output) { clock, context in
                let state = ClockState(try await clock.check(.init(), context))
                return (state, state.text, isWell: !state.isApart)
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
        @OptionGroup var output: OutputOption

        func run() async throws {
            try await services.showClocks(output) { clock, context in
                let before = ClockState(try await clock.check(.init(), context))
                _ = try await clock.accept(.init(), context)
                let after = ClockState(try await clock.check(.init(), context))
                return (after, before.text(afterAccepting: after), isWell: !after.isApart)
            }
        }
    }
}

extension EndpointsOption {
    /// The state of a service's clock, its text, and whether the service is well.
    fileprivate typealias Answer = (state: ClockState?, text: String, isWell: Bool)

    /// Prints a row for each service that has a clock of its own, in the order of their ports: not
    /// the gateway, which has no store and therefore no time of its own. The calls are sequential:
    /// an unreachable service must not prevent the calls to the others.
    /// - Parameter question: calls one service.
    /// - Throws: `ExitCode` 1 if a service is not well or did not respond.
    fileprivate func showClocks(
        _ output: OutputOption, _ question: (ClockClient, CallContext) async throws -> Answer
    ) async throws {
        var rows: [Row] = []
        var areWell = true
        for service in Endpoints.services where service != "gateway" {
            let clock = await answer(of: service, to: question)
            let ahead = clock.state.map { JSONValue.integer(Int64($0.ahead.milliseconds)) }
            rows.append(
                Row([
                    .init("service", service, phrase: service.padded(to: 14)),
                    .init("clock", clock.text),
                    .init(
                        json: "waiting", clock.state.map { .boolean($0.isWaiting) } ?? .null),
                    .init(json: "machine_ahead_ms", ahead ?? .null),
                ]))
            areWell = areWell && clock.isWell
        }
        try output.show(rows)
        if !areWell { throw ExitCode(1) }
    }

    private func answer(
        of service: String, to question: (ClockClient, CallContext) async throws -> Answer
    ) async -> Answer {
        do {
            return try await call(service) {
                try await question(ClockClient($0.client), $0.context)
            }
        } catch {
            // The error of a service is printed already.
            if !(error is ExitCode) { Screen.error("\(service): \(error)") }
            return (nil, "no answer", false)
        }
    }
}
