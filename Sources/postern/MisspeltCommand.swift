import ArgumentParser
import ServiceRuntime

/// The command that a word of the command line probably meant, where it is none:
///
///     postern accounts lookup ada@…   did you mean `postern accounts look-up`?
///     postern acounts look-up ada@…   did you mean `postern accounts`?
///     postern accounts look-up        nothing: each word is a command
///
/// A word is similar to a command if a third of the command's letters differ at most, and one in
/// any case.
enum MisspeltCommand {
    /// The hint for arguments that are refused; nil if there is none.
    /// - Parameter root: the command that they are for.
    static func hint(
        _ arguments: [String], of root: any ParsableCommand.Type = PosternTool.self
    ) -> String? {
        var command = root
        var words = [root._commandName]
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return nil }
            if let next = subcommands.first(where: { $0._commandName == argument }) {
                command = next
                words.append(argument)
                continue
            }
            let similar = subcommands.compactMap { nearness(of: argument, to: $0._commandName) }
            return EditDistance.suggestion(
                similar.map { near in
                    let line = (words + [near.name]).joined(separator: " ")
                    return (distance: near.distance, name: "`\(line)`")
                })
        }
        return nil
    }

    private static func nearness(
        of word: String, to name: String
    ) -> (distance: Int, name: String)? {
        // The cost is the product of both lengths, and no command is longer.
        guard word.utf8.count <= 64 else { return nil }
        let distance = EditDistance.between(word.lowercased().utf8, name.utf8)
        return distance <= max(1, name.utf8.count / 3) ? (distance, name) : nil
    }
}
