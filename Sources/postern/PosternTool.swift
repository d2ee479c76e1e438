import ArgumentParser
import Dispatch
import Hosting
import ServiceRuntime

/// `postern`: the operator's and developer's tool.
struct PosternTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postern",
        abstract: "Runs and manages Postern, an authentication backend of six programs.",
        discussion: """
            Start with `postern up`; it prints some commands to try.

            Commands that read take -o json. POSTERN_ENDPOINTS names the endpoints.json of the \
            services. Completion of commands and options, for bash, zsh or fish:

              postern --generate-completion-script bash > /etc/bash_completion.d/postern

            Exit codes:
              0   done; `status`, `clock check` and `backup verify`: all is well
              1   failed or refused, the reason is on standard error; or not all is well
              2   import: some records were rejected, and the others imported
              64  the arguments are not valid
            """,
        version: "postern \(ProductVersion.text)",
        subcommands: [
            UpCommand.self, CallCommand.self, MethodsCommand.self, DescribeCommand.self,
            InboxCommand.self, StatusCommand.self,
            TopCommand.self, KeysCommand.self, WebhooksCommand.self, TemplateCommand.self,
            PagesCommand.self, LimitsCommand.self, RulesCommand.self, ClockCommand.self,
            OutboxCommand.self, PushCommand.self,
            MailCommand.self,
            ImportCommand.self, ExportCommand.self, RestoreCommand.self,
            ErrorsCommand.self, AccountsCommand.self, DeletionsCommand.self,
            AuditCommand.self, ApplicationsCommand.self,
            TokenCommand.self, BackupCommand.self, StoreCommand.self,
        ])
}

/// The tool's entry point. Not an async `main`, which would run commands on another thread:
/// `postern up` blocks signals, and that covers all threads only while there is only one.
@main
enum ToolStart {
    static func main() {
        CoreDumps.disable()
        do {
            var command = try parsed()
            guard let waiting = command as? any AsyncParsableCommand else {
                try command.run()
                PosternTool.exit()
            }
            finish(waiting)
        } catch {
            PosternTool.exit(withError: error)
        }
    }

    /// The command of the arguments. Refused ones are reported here, with what was meant.
    private static func parsed() throws -> any ParsableCommand {
        do {
            return try PosternTool.parseAsRoot()
        } catch {
            let code = PosternTool.exitCode(for: error)
            guard code == .validationFailure,
                let hint = MisspeltCommand.hint(Array(CommandLine.arguments.dropFirst()))
            else { throw error }
            Screen.error(PosternTool.fullMessage(for: error))
            Screen.error(hint)
            throw code
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
