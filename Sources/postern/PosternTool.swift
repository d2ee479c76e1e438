import ArgumentParser
import Dispatch

/// `postern`: the operator's and developer's tool.
struct PosternTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postern",
        abstract: "Runs and asks a Postern: five programs that make an authentication backend.",
        discussion: """
            Start with `postern up`; it prints what to try next.
            """,
        subcommands: [
            UpCommand.self, CallCommand.self, InboxCommand.self, StatusCommand.self,
            TopCommand.self, KeysCommand.self, WebhooksCommand.self, TemplateCommand.self,
            LimitsCommand.self, ClockCommand.self, OutboxCommand.self, MailCommand.self,
            ImportCommand.self, ExportCommand.self,
            ErrorsCommand.self, AccountsCommand.self, ApplicationsCommand.self,
        ])
}

/// Where the tool starts. Not an async `main`, which would run commands on a thread of its own:
/// `postern up` holds back signals, and does so for all threads only while there is but one.
@main
enum ToolStart {
    static func main() {
        do {
            var command = try PosternTool.parseAsRoot()
            guard let waiting = command as? any AsyncParsableCommand else {
                try command.run()
                PosternTool.exit()
            }
            finish(waiting)
        } catch {
            PosternTool.exit(withError: error)
        }
    }

    private static func finish(_ command: sending any AsyncParsableCommand) -> Never {
        Task {
            var command = command
            do {
                try await command.run()
                PosternTool.exit()
            } catch {
                PosternTool.exit(withError: error)
            }
        }
        dispatchMain()
    }
}
