import ArgumentParser
import Testing

@testable import postern

@Suite("The help of the tool's commands")
struct HelpTests {
    /// A command and all below it.
    private static func all(
        _ command: any ParsableCommand.Type
    ) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap { all($0) }
    }

    @Test("--help of no command names a requirement of the sources")
    func idsOfRequirements() {
        let commands = Self.all(PosternTool.self)
        #expect(commands.count > PosternTool.configuration.subcommands.count)
        for command in commands {
            let help = PosternTool.helpMessage(for: command, includeHidden: true)
            let ids = help.matches(of: /\b[A-Z]-[0-9]{2}\b/).map { String($0.0) }
            #expect(ids == [], "\(command)")
        }
    }
}
