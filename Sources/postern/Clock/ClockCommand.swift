import ArgumentParser
import Contracts
import Messages
import ServiceRuntime

/// `postern clock`: whether services wait for a word on the machine's clock, and giving it
/// (Sources/SECURITY.md, Clock).
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Shows whether services wait for your word on the machine's clock; gives it.",
        discussion: """
            A service that starts more than a day after it stopped cannot tell a machine that was \
            off from a clock that is wrong. It goes on from the moment at which it stopped, and \
            sessions are neither refreshed nor validated, until the clock is set right, a time \
            server has set it, or you accept it.
            """,
        subcommands: [Check.self, Accept.self], defaultSubcommand: Check.self)

    /// `postern clock check`.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows where each service's clock stands; exits with 1 where one waits.")

        @OptionGroup var services: ClockCallers

        func run() async throws {
            let answers = await services.ask { clock, context in
                ClockState(try await clock.check(.init(), context))
            }
            try show(answers, else: { $0.isWaiting ? 1 : 0 })
        }
    }

    /// `postern clock accept`.
    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells all services that the machine's clock is right.",
            discussion: """
                A clock that is ahead is taken, whether a service waits for your word or the clock \
                was stepped since. Time never goes back: a clock that is behind is not taken, and \
                the command exits with 1.
                """)

        @OptionGroup var services: ClockCallers

        func run() async throws {
            let answers = await services.ask { clock, context in
                let before = ClockState(try await clock.check(.init(), context))
                _ = try await clock.accept(.init(), context)
                return before.accepted(ClockState(try await clock.check(.init(), context)))
            }
            try show(answers, else: { $0.isApart ? 1 : 0 })
        }
    }
}

extension AsyncParsableCommand {
    /// Shows a line for each service, and leaves with 1 where one did not answer.
    fileprivate func show(
        _ answers: [ClockCallers.Answer], else code: (ClockState) -> Int32
    ) throws {
        var exitCode: Int32 = 0
        for answer in answers {
            let padding = String(repeating: " ", count: max(1, 16 - answer.service.count))
            switch answer.state {
            case .success(let state):
                Screen.line(answer.service + padding + state.text)
                exitCode = max(exitCode, code(state))
            case .failure(let error):
                Screen.line(answer.service + padding + "no answer (\(error.code.rawValue))")
                exitCode = 1
            }
        }
        if exitCode != 0 { throw ExitCode(exitCode) }
    }
}
